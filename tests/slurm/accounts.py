#!/usr/bin/env python3
"""Compares an imported trace with slurmctld's own log of completions: accounts.py COMPLETED TRACE.swf IMPORT.json

COMPLETED is what jobcomp/filetxt wrote, one job a line. Every job that has started must be in the trace, once, with the
same wait, run time, processors, limit and state of success.
"""
import datetime
import json
import sys


def seconds(text):
    return int(datetime.datetime.fromisoformat(text).timestamp())


def completed(path):
    jobs = {}
    for line in open(path):
        fields = dict(word.split("=", 1) for word in line.split() if "=" in word)
        jobs[int(fields["JobId"])] = fields
    return jobs


def trace(path):
    jobs = {}
    for line in open(path):
        if line.strip() and not line.startswith(";"):
            values = [int(float(word)) for word in line.split()]
            assert values[0] not in jobs, f"job {values[0]} is there twice"
            jobs[values[0]] = values
    return jobs


def main():
    logged, imported, report = completed(sys.argv[1]), trace(sys.argv[2]), json.load(open(sys.argv[3]))
    begin = min(seconds(fields["EligibleTime"]) for fields in logged.values() if fields["EligibleTime"] != "Unknown")
    wrong = []
    for number, fields in sorted(logged.items()):
        job = imported.get(number)
        if job is None:
            wrong.append(f"job {number} ({fields['JobState']}) is missing")
            continue
        start, end = fields["StartTime"], fields["EndTime"]
        if start in ("Unknown", "None") or start == end:
            continue
        eligible = seconds(fields["EligibleTime"])
        expected = {
            "submission": (job[1], eligible - begin),
            "wait": (job[2], seconds(start) - eligible),
            "run time": (job[3], seconds(end) - seconds(start)),
            "processors": (job[4], int(fields["ProcCnt"])),
            "limit": (job[8], int(fields["TimeLimit"]) * 60),
        }
        wrong += [f"job {number}: {what} {is_} instead of {was}" for what, (is_, was) in expected.items() if is_ != was]
        if (job[10] == 1) != (fields["JobState"] == "COMPLETED"):
            wrong.append(f"job {number}: status {job[10]} for {fields['JobState']}")
    if report["wrong"]:
        wrong.append(f"lines that were not understood: {report['wrong']}")
    if len(logged) < 10:
        wrong.append(f"{len(logged)} jobs only")
    for line in wrong:
        print("accounts:", line, file=sys.stderr)
    sys.exit(bool(wrong))


main()
