"""moto's server on a free port of 127.0.0.1, answering one request after the other. It prints its address, and ends with its input.

`moto_server` answers in many threads and has no lock: between the check of a condition and its write another request comes in. DynamoDB
promises that none does, so what the library does with that promise can only be seen where it is kept.
"""

import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import WSGIRequestHandler, make_server

application = DomainDispatcherApplication(create_backend_app)
# A queue, not a lock: who asked first is answered first, and nobody waits until the client gives up.
one_at_a_time = ThreadPoolExecutor(max_workers=1)


def answer(environ, start_response):
    return one_at_a_time.submit(application, environ, start_response).result()


class Quiet(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_request(self, *_):
        pass


def end_with_input():
    sys.stdin.read()
    os._exit(0)


server = make_server("127.0.0.1", 0, answer, threaded=True, request_handler=Quiet)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
threading.Thread(target=end_with_input, daemon=True).start()
server.serve_forever()
