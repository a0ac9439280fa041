"""Waits on states of a page, never on times: a busy machine takes as long as it takes."""

import time

from playwright.sync_api import expect

# A bound for what never comes. Nothing takes longer because of it.
expect.set_options(timeout=20_000)

# The page follows the server, its pictures are loaded, and nothing moves.
SETTLED = """() => (document.body.dataset.live !== undefined || document.querySelector('script') === null)
    && [...document.images].every((each) => each.complete || each.loading === 'lazy')
    && document.getAnimations().every((each) => each.playState !== 'running'
        || each.effect.getComputedTiming().iterations === Infinity)"""


def go(page, address):
    """Opens an address, and waits until keys, buttons and pictures are there."""
    page.goto(address)
    settle(page)


def settle(page):
    """Waits until the page follows the server and stands still."""
    page.wait_for_function(SETTLED)


def wait_until(is_so, what, seconds=30):
    """Waits until a function returns true. Says what was waited for if it never does."""
    end = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > end:
            raise AssertionError(f"After {seconds} s it is not so that {what}.")
        time.sleep(0.05)
