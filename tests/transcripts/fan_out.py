"""A fan-out of 20,000 items of which three fail: found, read and repaired one by one."""

import os

from transcript import Transcript, Wrong

ABOUT = """
A job renders an invoice for each of 20,000 customers, and three of them have no address. The job goes on with up to ten failures.
Which customers are they, why did they fail, and how are they repaired without doing the other 19,997 again?
"""
ITEMS = int(os.environ.get("MAINSPRING_STORY_ITEMS", "20000"))
BAD = [ITEMS // 25, ITEMS // 2, ITEMS - 1]
JOB = f"""\
job: invoices
owner: billing@example.org
limits: {{ max_fan_out: 20000, release_per_second: 20000 }}
tasks:
  render:
    for_each: {{ items: [ITEMS], tolerate: 10 }}
    retries: 0
    env: {{ N: "{{{{ item }}}}" }}
    shell: |
      case $N in {"|".join(map(str, BAD))}) test -e addresses/$N || {{ echo "no address of customer $N" >&2; exit 1; }};; esac
      echo "invoice of $N"
  send:
    needs: [render]
    shell: echo "sent {{{{ tasks.render.outputs | length }}}} invoices"
"""


def story():
    story = Transcript("A fan-out with three failures", ABOUT)
    try:
        tell(story)
    except BaseException:
        story.__exit__()
        raise
    return story


def tell(story):
    story.start()
    (story.dir / "addresses").mkdir()
    text = JOB.replace("addresses/", f"{story.dir}/addresses/")
    (story.dir / "invoices.yaml").write_text(text.replace("ITEMS", f"1, 2, 3, [… to {ITEMS}]"))
    story.type("cat invoices.yaml")
    (story.dir / "invoices.yaml").write_text(text.replace("ITEMS", ", ".join(str(n + 1) for n in range(ITEMS))))
    story.type("mainspring apply invoices.yaml", contains=["created"])
    story.type("mainspring job trigger invoices --wait", contains=["3 failed", "failed and tolerated", f"item {BAD[0] - 1}"])

    story.say("Which items failed, and what did the first of them say?")
    run = story.type("mainspring run list --job invoices -o name", contains=["^run_"]).strip()
    short = run[: len("run_") + 12]
    failed = story.type(f"mainspring run items {short} --task render --state failed", contains=[str(n) for n in BAD])
    if failed.count("task_") != 3:
        raise Wrong(f"not three items: {failed}")
    story.type(f"mainspring run logs {short} --task render --item {BAD[0] - 1}", contains=[f"no address of customer {BAD[0]}"])

    story.say("The address of that customer is there now. Only that item runs again; the others keep what they have.")
    story.type(f"touch {story.dir}/addresses/{BAD[0]}")
    story.type(f"mainspring run clear {short} --task render --items {BAD[0] - 1} --reason 'address came' --wait")
    story.type(f"mainspring run items {short} --task render --state failed", contains=[str(BAD[1]), str(BAD[2])], lacks=[rf"\b{BAD[0]}\b"])

    story.say("The second one is read and repaired in the same way.")
    story.type(f"mainspring run logs {short} --task render --item {BAD[1] - 1}", contains=[f"no address of customer {BAD[1]}"])
    story.type(f"touch {story.dir}/addresses/{BAD[1]}")
    story.type(f"mainspring run clear {short} --task render --items {BAD[1] - 1} --reason 'address came, too' --wait")

    story.say("And the third. Where many failed, `--only-failed` names them all; here it is the one that is left.")
    story.type(f"mainspring run logs {short} --task render --item {BAD[2] - 1}", contains=[f"no address of customer {BAD[2]}"])
    story.type(f"touch {story.dir}/addresses/{BAD[2]}")
    story.type(f"mainspring run clear {short} --only-failed --reason 'all addresses are there' --wait", contains=["succeeded"])
    story.type(f"mainspring run logs {short} --task send", contains=[f"sent {ITEMS} invoices"])
    story.say("The run knows who did what, and why. Nobody has checked that Ann is Ann, so she is marked as unverified.")
    story.type(f"mainspring run get {short}", contains=[f"{ITEMS}/{ITEMS}", "address came", "all addresses"])
    story.type(f"mainspring run items {short} --task render --state failed", lacks=["task_"])
