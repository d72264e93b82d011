"""Whether the published generation still says what the data says; cheap, without dagster."""

from mem_assets.settings import Settings
from mem_assets.signature import rules_version
from mem_assets.storage.days import Days, NotMaterialised
from mem_assets.storage.generation import NoGeneration, open_current
from mem_assets.storage.landing import landing_dates, list_files
from mem_assets.storage.memory_log import MemoryLog
from mem_assets.symptom import catalogue_sha, classes_version


def freshness(settings: Settings) -> list[str]:
    """Reasons why the generation is stale, in order of date; empty when it is fresh.

    Compares what lies in the landing with what each day has read, the memory log with what the
    index has read, and the rules of this version with those that built it.
    """
    try:
        manifest = open_current(settings.home).manifest
    except NoGeneration as missing:
        return [str(missing)]
    return [
        *_unread_files(settings),
        *_unindexed_records(MemoryLog(settings.home), manifest["log_heads"]),
        *(
            f"the {what} changed since the index was built: rebuild the days and the index"
            for what, name, now in (
                ("signature rules", "rules_version", rules_version),
                ("failure classes", "classes_version", classes_version),
                ("symptom catalogue", "catalogue_sha", catalogue_sha),
            )
            if manifest[name] != now()
        ),
    ]


def _unread_files(settings: Settings) -> list[str]:
    days = Days(settings.home)
    reasons = []
    for date in landing_dates(settings.landing):
        present = set(list_files(settings.landing, date))
        try:
            rows = days.read("landing_files", date)
        except NotMaterialised:
            if present:
                reasons.append(f"{date}: {len(present)} files in the landing were never read")
            continue
        changed = present ^ {(row["path"], row["bytes"]) for row in rows}
        if changed:
            paths = sorted({path for path, _ in changed})
            reasons.append(f"{date}: {len(paths)} files changed since they were read: {paths[0]}")
    return reasons


def _unindexed_records(log: MemoryLog, heads: dict[str, int]) -> list[str]:
    return [
        f"{date}: {count - heads.get(date, 0)} records of the memory log are not in the index"
        for date, count in sorted(log.heads().items())
        if count > heads.get(date, 0)
    ]
