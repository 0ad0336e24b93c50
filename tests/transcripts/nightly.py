"""A nightly run that failed: found, explained and repaired with nothing but `--help`."""

import datetime

from transcript import Transcript

ABOUT = """
Somebody who has never seen this job, nor Mainspring, is called in the morning: "the report is missing". Every command is one that
`mainspring --help` or the answer before it names.
"""
JOB = """\
job: report
owner: data-team@example.org
schedules:
  - { name: nightly, cron: "0 2 * * *", timezone: UTC }
tasks:
  extract:
    retries: 0
    shell: 'cat HOME/in/${DAY%%T*}.csv'
    env: { DAY: "{{ window.at }}" }
  load: { needs: [extract], shell: echo 3 rows loaded }
  publish: { needs: [load], shell: echo published }
"""


def story():
    story = Transcript("A nightly run that failed", ABOUT)
    try:
        tell(story)
    except BaseException:
        story.__exit__()
        raise
    return story


def night(story, day):
    """The server lives through two o'clock of this day."""
    story.stop()
    story.start(at=f"@{day} 01:59:58")


def tell(story):
    # So near that ages are told well, and past in every time zone.
    today = datetime.date.today()
    day_before, day = (str(today - datetime.timedelta(days=days)) for days in (3, 2))
    (story.dir / "in").mkdir()
    (story.dir / f"in/{day_before}.csv").write_text("a;1\nb;2\nc;3\n")
    (story.dir / "report.yaml").write_text(JOB.replace("HOME", str(story.dir)))
    story.start(at=f"@{today - datetime.timedelta(days=4)} 12:00:00")
    story.quiet("mainspring apply report.yaml")
    night(story, day_before)
    ended = "mainspring run list --job report --state {0} -o name | grep -q run_"
    story.until_true(ended.format("succeeded"))
    night(story, day)
    story.until_true(ended.format("failed"))

    story.say("What can be asked at all?")
    story.type("mainspring --help", contains=["attention"], shown=200)
    story.say("What needs a person?")
    story.type("mainspring attention", status=3, contains=["report"])
    story.say("Which run is it, and which of its tasks failed?")
    story.type("mainspring run list --state failed", contains=["report"])
    short = story.quiet("mainspring run list --state failed -o name").strip()[: len("run_") + 12]
    story.type(f"mainspring run get {short}", contains=["extract", "data-team@example.org"])
    story.say("Why, and what is different from the night before?")
    story.type(f"mainspring run diagnose {short}", contains=[f"{day}.csv"])
    story.type(f"mainspring run logs {short} --task extract", contains=["No such file"])
    story.say("The file of that day had not come. It is there now:")
    story.type(f"printf 'a;4\\nb;5\\nc;6\\n' > {story.dir}/in/{day}.csv")
    story.say("How is it repaired? What failed runs again, and what waited for it.")
    story.type("mainspring run clear --help", contains=["--wait"])
    story.type(f"mainspring run clear {short} --reason 'the file came late' --wait", contains=["succeeded"])
    story.say("Every night has its report now, and nothing needs anybody.")
    story.type("mainspring schedule history report", contains=[f"{day}T02:00:00.000Z +1 +ran +succeeded"])
    story.type("mainspring attention", lacks=["failed"])
