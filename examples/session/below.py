"""Trains until the loss is below 1.   below.py LIBRARY PLAN GRAPHRUN"""
import sys

from graphc import Hook, Session


class Below(Hook):
    def before_run(self, session):
        session.want("loss")

    def after_run(self, session):
        shape, (loss,) = session.fetched("loss")
        print(f"step {session.global_step}  loss {loss:.4g}")
        if loss < 1:
            session.request_stop()


library, plan, graphrun = sys.argv[1:]
session = Session(library, plan, {"steps": 1000, "graphrun": graphrun}, [Below()])
while not session.should_stop():
    session.run()
status = session.close()
print(session.ended_early or session.error)
session.free()
sys.exit(status)
