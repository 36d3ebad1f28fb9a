# The schedules that the tests of Grafana's migrators have, and who is on duty by them: by the rules of their tools, without our reader.
# Reads {folder, seed, count} from `data`, leaves [{tool, name, schedule, times, people}] in `result`: `times` are ms, from each of the
# three clocks of `nows` on, `people` who is on duty at each.
import ast
import pathlib
import random
from bisect import bisect_right
from datetime import datetime, timedelta, timezone
from dateutil import parser, tz

given = json.loads(data)
folder = pathlib.Path(given["folder"])
DAY = timedelta(days=1)
DAYS = ["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"]
MASK = ["m", "t", "w", "th", "f", "sa", "su"]
LATE = datetime(2026, 11, 30, tzinfo=timezone.utc)


def literals(path, key):
    """Dictionaries of a file that have this key and nothing but values, with the function they are in."""
    for function in ast.parse(path.read_text()).body:
        if not isinstance(function, ast.FunctionDef):
            continue
        for node in ast.walk(function):
            if isinstance(node, ast.Dict) and any(isinstance(one, ast.Constant) and one.value == key for one in node.keys):
                try:
                    yield function.name, ast.literal_eval(node)
                except ValueError:
                    pass


def made(path, name):
    """What the calls of a function of a file return; the file makes its examples by functions."""
    tree = ast.parse(path.read_text())
    module = ast.Module(
        [
            one
            for one in tree.body
            if isinstance(one, ast.Assign) or (isinstance(one, ast.FunctionDef) and one.name.startswith("_generate"))
        ],
        [],
    )
    space = {}
    exec(compile(module, str(path), "exec"), space)
    helpers = [one for one in tree.body if isinstance(one, ast.FunctionDef) and one.name.startswith("_generate")]
    for top in tree.body:
        if top in helpers:
            continue
        for node in ast.walk(top):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
                yield getattr(top, "name", ""), eval(compile(ast.Expression(node), str(path), "eval"), space)


def instant(zone, local):
    """A local time as an instant; one that is skipped is an hour later."""
    if not tz.datetime_exists(local, zone):
        local += timedelta(hours=1)
    return local.replace(tzinfo=zone).astimezone(timezone.utc)


def utc(text):
    at = parser.isoparse(text)
    return at if at.tzinfo else at.replace(tzinfo=timezone.utc)


def turn_at(zone, start, length, at):
    """Whole days keep their local time, hours are elapsed time. Before the start turns are counted backwards."""
    if length % DAY:
        return (at - start) // length
    first = start.astimezone(zone).replace(tzinfo=None)
    number = (at.astimezone(zone).replace(tzinfo=None) - first) // length + 2
    while instant(zone, first + number * length) > at:
        number -= 1
    return number


def within(zone, spans, at):
    """`spans`: (day of the week, minute of the day, length)."""
    if not spans:
        return True
    today = at.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
    for back in range(0, 9):
        day = today - back * DAY
        for weekday, minute, length in spans:
            if day.weekday() == weekday:
                begin = day + timedelta(minutes=minute)
                if instant(zone, begin) <= at < instant(zone, begin + length):
                    return True
    return False


def pagerduty(schedule, at):
    zone = tz.gettz(schedule["time_zone"])
    for one in reversed(schedule["overrides"]):
        if utc(one["start"]) <= at < utc(one["end"]) and one["user"]["id"] in MEMBERS:
            return [one["user"]["id"]]
    for layer in schedule["schedule_layers"]:
        if at < utc(layer["start"]) or (layer["end"] and at >= utc(layer["end"])):
            continue
        spans = []
        for one in layer["restrictions"]:
            hour, minute = (int(part) for part in one["start_time_of_day"].split(":")[:2])
            days = range(7) if one["type"] == "daily_restriction" else [one["start_day_of_week"] - 1]
            spans += [(day, hour * 60 + minute, timedelta(seconds=one["duration_seconds"])) for day in days]
        if not within(zone, spans, at):
            continue
        length = timedelta(seconds=layer["rotation_turn_length_seconds"])
        turn = turn_at(zone, utc(layer["rotation_virtual_start"]), length, at)
        user = layer["users"][turn % len(layer["users"])]["user"]["id"]
        if user in MEMBERS:
            return [user]
    return []


def opsgenie(schedule, at):
    zone = tz.gettz(schedule["timezone"])
    people = []
    for one in schedule["rotations"]:
        if at < utc(one["startDate"]) or (one.get("endDate") and at >= utc(one["endDate"])):
            continue
        spans = []
        for part in one.get("timeRestriction", {}).get("restrictions", []):
            begin, end = (
                DAYS.index(part[f"{edge}Day"]) * 1440 + part.get(f"{edge}Hour", 0) * 60 + part.get(f"{edge}Min", 0)
                for edge in ["start", "end"]
            )
            spans.append((begin // 1440, begin % 1440, timedelta(minutes=(end - begin) % 10080 or 10080)))
        if within(zone, spans, at):
            length = timedelta(hours={"hourly": 1, "daily": 24, "weekly": 168}[one["type"]] * one["length"])
            turn = turn_at(zone, utc(one["startDate"]), length, at)
            people.append(one["participants"][turn % len(one["participants"])]["id"])
    return people


def splunk(schedule, at):
    people = []
    for shift in (shift for rotation in schedule["rotations"] for shift in rotation["shifts"]):
        zone = tz.gettz(shift["timezone"])
        if at < utc(shift["start"]):
            continue
        days = lambda mask: [day for day, name in enumerate(MASK) if mask["day"][name]]
        clock = lambda time: time["hour"] * 60 + time["minute"]
        spans = []
        if shift["shifttype"] == "pho":
            for time in shift["mask"]["time"]:
                length = timedelta(minutes=(clock(time["end"]) - clock(time["start"])) % 1440 or 1440)
                spans += [(day, clock(time["start"]), length) for day in days(shift["mask"])]
        elif shift["shifttype"] == "cstm":
            first, last = shift["mask"], shift["mask3"]
            begin = days(first)[0] * 1440 + clock(first["time"][0]["start"])
            end = days(last)[0] * 1440 + clock(last["time"][0]["end"])
            spans.append((begin // 1440, begin % 1440, timedelta(minutes=(end - begin) % 10080 or 10080)))
        if within(zone, spans, at):
            turn = turn_at(zone, utc(shift["start"]), shift["duration"] * DAY, at)
            people.append(shift["shiftMembers"][turn % len(shift["shiftMembers"])]["username"])
    for one in schedule["overrides"]:
        if utc(one["start"]) <= at < utc(one["end"]):
            original, substitute = (one[name]["username"] for name in ["origOnCallUser", "overrideOnCallUser"])
            people = [substitute if name == original else name for name in people]
    return people


def starts(value):
    """All times at which something begins."""
    if isinstance(value, dict):
        for key, one in value.items():
            if key in ("start", "startDate", "rotation_virtual_start") and isinstance(one, str):
                yield utc(one)
            else:
                yield from starts(one)
    elif isinstance(value, list):
        for one in value:
            yield from starts(one)


MEMBERS = {f"USER_ID_{number}" for number in (1, 2, 3)}
WHOLE = {
    "pagerduty": lambda one: "time_zone" in one and all("start" in layer for layer in one["schedule_layers"]),
    "opsgenie": lambda one: "timezone" in one and all("startDate" in rotation for rotation in one["rotations"]),
    "splunk-oncall": lambda one: True,
}
FOUND = [
    ("pagerduty", pagerduty, literals(folder / "pagerduty/resources/test_schedules.py", "schedule_layers")),
    ("opsgenie", opsgenie, literals(folder / "opsgenie/resources/test_schedules.py", "rotations")),
    ("splunk-oncall", splunk, made(folder / "splunk/resources/test_schedules.py", "_generate_splunk_schedule")),
]
rng = random.Random(given["seed"])
ms = lambda at: round((at - datetime(1970, 1, 1, tzinfo=timezone.utc)).total_seconds() * 1000)
result = []
seen = set()
for tool, evaluate, found in FOUND:
    for name, schedule in found:
        key = json.dumps([tool, schedule], sort_keys=True)
        if key in seen or not WHOLE[tool](schedule):
            continue
        seen.add(key)
        begins = sorted(starts({key: value for key, value in schedule.items() if key != "overrides"})) or [LATE]
        clocks = []
        for now in (begins[0] - DAY, begins[-1] + timedelta(seconds=1), LATE):
            times = [now + timedelta(seconds=rng.randrange((14 if index % 2 else 500) * 86400)) for index in range(given["count"])]
            clocks.append({"now": ms(now), "times": [ms(at) for at in times], "people": [sorted(set(evaluate(schedule, at))) for at in times]})
        result.append({"tool": tool, "name": name, "schedule": schedule, "clocks": clocks})
