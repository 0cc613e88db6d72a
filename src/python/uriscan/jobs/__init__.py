"""Programs for `spark-submit`, or for `python` on one machine."""
