// Keeps the page's table and figures up to date; what is written into the form stays. Without this script the page is
// as it was when it was loaded.
"use strict";
const live = document.getElementById("live");
const state = document.getElementById("state");
async function refresh() {
  try {
    const answer = await fetch("/", { cache: "no-store" });
    if (!answer.ok) throw new Error(answer.status);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const open = [...live.querySelectorAll("details[open]")].map((part) => part.id);
    live.replaceChildren(...page.getElementById("live").childNodes);
    for (const id of open) {
      const part = document.getElementById(id);
      if (part) part.open = true;
    }
    state.textContent = "";
  } catch {
    state.textContent = "The service does not answer: what you see may be out of date.";
  }
}
setInterval(refresh, 1000 * Number(live.dataset.every));
