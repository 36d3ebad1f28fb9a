# Who is on duty at instants by a layer, by python-dateutil. Reads a list of cases from `data`, leaves the people of each in `result`.
import bisect
from datetime import datetime, timedelta, timezone
from dateutil import rrule, tz

HOUR = timedelta(hours=1)
FREQUENCIES = {"DAILY": rrule.DAILY, "WEEKLY": rrule.WEEKLY, "MONTHLY": rrule.MONTHLY}
UNTIL = datetime(2028, 1, 10)


def utc(ms):
    return datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(milliseconds=ms)


def instant(zone, local):
    return local.replace(tzinfo=zone).astimezone(timezone.utc)


# Of turns by days and longer: each local time of the rule that exists, and the first one in any case.
def handovers(zone, start, rule):
    local = start.astimezone(zone).replace(tzinfo=None)
    days = [getattr(rrule, day) for day in rule.get("byday", [])] or None
    times = rrule.rrule(FREQUENCIES[rule["frequency"]], dtstart=local, interval=rule["interval"], byweekday=days, until=UNTIL)
    found = {instant(zone, one) for one in times if tz.datetime_exists(one, zone)}
    return sorted({start} | {one for one in found if one > start})


# Hours that begin or end at a time that is skipped do so an hour later.
def edge(zone, local):
    return instant(zone, local if tz.datetime_exists(local, zone) else local + HOUR)


def hours(zone, spans):
    found = []
    for number in range(-10, 400):
        day = datetime(2027, 1, 1) + timedelta(days=number)
        for span in spans:
            if day.weekday() != span["day"]:
                continue
            begin = day + timedelta(minutes=span["from"])
            found.append((edge(zone, begin), edge(zone, day + timedelta(minutes=span["to"]))))
    return found


def answer(case):
    zone = tz.gettz(case["zone"])
    start = utc(case["starts_at"])
    rule = case["rule"]
    starts = [] if rule is None or rule["frequency"] == "HOURLY" else handovers(zone, start, rule)
    within = hours(zone, case["spans"])
    people = []
    for ms in case["instants"]:
        at = utc(ms)
        if at < start or (case["ends_at"] is not None and at >= utc(case["ends_at"])):
            people.append([])
            continue
        if case["spans"] and not any(begin <= at < end for begin, end in within):
            people.append([])
            continue
        if rule is None:
            turn = 0
        elif rule["frequency"] == "HOURLY":
            turn = (at - start) // (rule["interval"] * HOUR)
        else:
            turn = bisect.bisect_right(starts, at) - 1
        people.append(case["turns"][turn % len(case["turns"])])
    return people


result = [answer(case) for case in json.loads(data)]
