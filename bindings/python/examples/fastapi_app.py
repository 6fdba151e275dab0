# SPDX-License-Identifier: MIT
"""FastAPI: ids of frazil in an event loop.  FRAZIL_WORKER says which worker number this host has."""

from contextlib import asynccontextmanager
from typing import Annotated

from fastapi import FastAPI, Request
from pydantic import BaseModel, PlainSerializer

import frazil

# JavaScript reads JSON numbers as doubles, which are exact up to 2^53 only: ids travel as text.
Id = Annotated[int, PlainSerializer(str, return_type=str)]


class Order(BaseModel):
    id: Id
    item: str


@asynccontextmanager
async def lifespan(app):
    with frazil.open("layout=frazil") as app.state.ids:
        yield


app = FastAPI(lifespan=lifespan)


@app.post("/orders")
async def create(item: str, request: Request) -> Order:
    # The event loop turns while there is none.
    return Order(id=await request.app.state.ids.anext(timeout=1.0), item=item)


@app.get("/health")
async def health(request: Request) -> dict:
    found = request.app.state.ids.health()
    return {"ready": found.serving, "state": found.state}
