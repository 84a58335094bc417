"""Notices on a phone: what it says where it can have none, its choice, and a message that its worker shows."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from ...browser.table import TablePage
from ..push_service import Phone

pytestmark = pytest.mark.browser

# A headless browser has no push service and shows no notices: what one would do stands in its place.
ALLOWED = """
Object.defineProperty(Notification, "permission", { get: () => "granted" });
PushManager.prototype.subscribe = async function ({ userVisibleOnly, applicationServerKey }) {
  if (!userVisibleOnly || applicationServerKey.length !== 87) throw new Error("not as a browser wants it");
  const { endpoint, p256dh, auth } = PHONE;
  localStorage.setItem("endpoint", endpoint);
  return { toJSON: () => ({ endpoint, keys: { p256dh, auth } }) };
};
PushManager.prototype.getSubscription = async () =>
  localStorage.getItem("endpoint") ? { endpoint: localStorage.getItem("endpoint") } : null;
"""
SHOW = """() => {
  self.shown = [];
  self.opened = [];
  registration.showNotification = async (title, options) => shown.push({ title, ...options });
  clients.openWindow = async (url) => opened.push(url);
}"""
TAP = """async () => {
  let done;
  const { data } = shown.at(-1);
  const event = new Event("notificationclick");
  self.dispatchEvent(Object.assign(event, { notification: { data, close() {} }, waitUntil: (work) => (done = work) }));
  await done;
  return opened;
}"""
RENEW = """async (fields) => {
  const { endpoint, p256dh, auth } = fields;
  PushManager.prototype.subscribe = async () => ({ toJSON: () => ({ endpoint, keys: { p256dh, auth } }) });
  let done;
  self.dispatchEvent(Object.assign(new Event("pushsubscriptionchange"), { waitUntil: (work) => (done = work) }));
  await done;
}"""
ON_IOS = "delete window.PushManager; Object.defineProperty(navigator, 'standalone', { value: false });"


def open_notices(phone: Callable[..., Page], script: str = "", **settings: Any) -> Page:
    page = phone(service_workers="allow", **settings)
    page.add_init_script(script)
    TablePage.open_new(page, "whist")
    page.get_by_role("link", name="More").click()
    page.get_by_role("link", name="Notices").click()
    return page


def turn_on(page: Page, name: str) -> None:
    page.get_by_label(name).check()
    page.get_by_role("button", name="Save").click()


def test_a_phone_chooses_and_its_worker_shows_what_it_is_sent(phone: Callable[..., Page]) -> None:
    own = Phone("https://push.example/phone")
    page = open_notices(phone, ALLOWED.replace("PHONE", json.dumps(own.fields)), permissions=["notifications"])
    expect(page.locator("[data-why]:visible")).to_have_count(0)
    turn_on(page, "A payment waits for your confirmation")
    expect(page.get_by_role("status")).to_have_text("Saved.")
    expect(page.get_by_label("A payment waits for your confirmation")).to_be_checked()
    expect(page.get_by_label("An evening is planned")).not_to_be_checked()
    (worker,) = page.context.service_workers
    worker.evaluate(SHOW)
    url = "circles/none/planned/one"  # below the site's path
    deliver(page, {"title": "An evening is planned", "body": "19:30", "url": url, "tag": "one", "lang": "en-GB"})
    (shown,) = worker.evaluate("shown")
    assert (shown["title"], shown["body"], shown["tag"]) == ("An evening is planned", "19:30", "one")
    assert page.request.get(shown["icon"]).ok
    assert worker.evaluate(TAP) == [f"/{url}"]


def test_a_phone_whose_browser_has_dropped_its_address_says_so_until_it_has_another(phone: Callable[..., Page]) -> None:
    own, renewed = Phone("https://push.example/phone"), Phone("https://push.example/renewed")
    page = open_notices(phone, ALLOWED.replace("PHONE", json.dumps(own.fields)), permissions=["notifications"])
    turn_on(page, "A payment waits for your confirmation")
    expect(page.get_by_role("status")).to_have_text("Saved.")
    expect(page.locator("[data-why]:visible")).to_have_count(0)
    page.evaluate("localStorage.removeItem('endpoint')")
    page.reload()
    expect(page.locator("[data-why]:visible")).to_contain_text("This phone no longer gets notices")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status")).to_have_text("Saved.")
    page.reload()
    expect(page.locator("form[data-endpoint='https://push.example/phone']")).to_be_visible()
    expect(page.locator("[data-why]:visible")).to_have_count(0)
    (worker,) = page.context.service_workers
    worker.evaluate(RENEW, renewed.fields)
    page.evaluate("localStorage.setItem('endpoint', 'https://push.example/renewed')")
    page.reload()
    expect(page.get_by_label("A payment waits for your confirmation")).to_be_checked()
    expect(page.locator("form[data-endpoint='https://push.example/renewed']")).to_be_visible()
    expect(page.locator("[data-why]:visible")).to_have_count(0)


def deliver(page: Page, text: dict[str, str]) -> None:
    """Have the browser pass a message to the page's worker."""
    registrations: list[dict[str, Any]] = []
    network, origin = page.context.new_cdp_session(page), origin_of(page)
    network.on("ServiceWorker.workerRegistrationUpdated", lambda event: registrations.extend(event["registrations"]))
    network.send("ServiceWorker.enable")
    page.wait_for_timeout(500)
    to = {"origin": f"{origin}/", "registrationId": registrations[0]["registrationId"]}
    network.send("ServiceWorker.deliverPushMessage", to | {"data": json.dumps(text)})
    page.wait_for_timeout(500)


def origin_of(page: Page) -> str:
    return str(page.evaluate("location.origin"))


def test_on_ios_the_page_leads_to_the_home_screen(phone: Callable[..., Page]) -> None:
    page = open_notices(phone, ON_IOS)
    expect(page.locator("[data-why]:visible")).to_contain_text("Home Screen")
    turn_on(page, "An evening is planned")
    expect(page.locator("[data-why]:visible")).to_contain_text("iOS 16.4")
