"""Measuring: what a system makes of cases whose answers are known.

    file ──task.cases──▶ cases ──each arm──▶ records ──task.figures──▶ figures
              └────────▶ problems               │
                                  run folder ◀──┘──▶ report, comparison

A *task* (`task`) knows a file format and what a right answer is. An *arm* is one way to answer: a channel, a preset,
a peer. What an arm makes of a case is a *record* (`record`); every figure, plot and comparison is a function of
records alone, so that a run can be resumed, re-read and compared case by case (`run`, `compare`, `report`).
"""
