"""The stories of docs/transcripts."""

import sys

import fan_out
import nightly
import timer
import transcript

if __name__ == "__main__":
    stories = {"timer-contract": timer.story, "fan-out": fan_out.story, "failed-nightly": nightly.story}
    transcript.run(stories, sys.argv[1:])
