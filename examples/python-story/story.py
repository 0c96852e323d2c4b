"""Orders a test kit, registers it to its patient and reads the results, with a client generated from openapi.json.

Needs a running sandbox. Reads its keys from the file that is the first argument.
"""

import json
import sys
from uuid import uuid4

from phial_client import AuthenticatedClient
from phial_client.api.lab_tests import page_lab_tests
from phial_client.api.orders import create_testkit_order, get_order, register_testkit
from phial_client.api.results import get_results
from phial_client.api.simulation import simulate_order
from phial_client.api.users import create_user
from phial_client.models import (
    Error,
    InvalidRequest,
    RegisterTestkitInput,
    SimulationFlags,
    TestkitOrderInput,
    UserInput,
)

ADDRESS = {
    "receiver_name": "Grace Palmer",
    "first_line": "100 West Test Street",
    "city": "Phoenix",
    "state": "AZ",
    "zip": "85004",
    "country": "US",
}
PATIENT = {
    "first_name": "Grace",
    "last_name": "Palmer",
    "dob": "1988-04-12",
    "gender": "female",
    "phone_number": "+16025550123",
    "email": "grace@example.com",
}
PHYSICIAN = {"first_name": "Ana", "last_name": "Ruiz", "npi": "1234567893"}


def done(answer):
    """Returns the answer, or ends the program with the code and the reason of a refusal."""
    if answer is None or isinstance(answer, (Error, InvalidRequest)):
        sys.exit(f"Phial refused: {answer}")
    return answer


def play(client: AuthenticatedClient) -> None:
    user = done(create_user.sync(client=client, body=UserInput(client_user_id=f"python-{uuid4()}")))
    lab_test = done(page_lab_tests.sync(client=client, collection_method="testkit")).data[0]
    kit = TestkitOrderInput.from_dict(
        {
            "user_id": str(user.user_id),
            "lab_test_id": str(lab_test.id),
            "shipping_details": {**ADDRESS, "phone_number": PATIENT["phone_number"]},
        }
    )
    order = done(create_testkit_order.sync(client=client, body=kit)).order
    print("ordered", lab_test.name)

    # The simulated laboratory ships the kit, and gives it its sample id.
    done(simulate_order.sync(order.id, client=client, body=SimulationFlags()))
    sample_id = done(get_order.sync(order.id, client=client)).sample_id
    registration = RegisterTestkitInput.from_dict(
        {
            "user_id": str(user.user_id),
            "sample_id": sample_id,
            "patient_details": PATIENT,
            "patient_address": ADDRESS,
            "physician": PHYSICIAN,
        }
    )
    done(register_testkit.sync(client=client, body=registration))
    print("registered", sample_id)

    # The sample travels back, and the laboratory reports.
    done(simulate_order.sync(order.id, client=client, body=SimulationFlags()))
    for result in done(get_results.sync(order.id, client=client)).results:
        print(f"{result.name}: {result.value} {result.unit} ({result.interpretation.value})")


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        credentials = json.load(file)
    play(
        AuthenticatedClient(
            base_url=credentials["base_url"],
            token=credentials["team_api_key"],
            prefix="",
            auth_header_name="x-service-api-key",
        )
    )
