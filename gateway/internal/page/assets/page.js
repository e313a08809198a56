// Conveniences of pages. Without JavaScript, only the explanation of a URL while it is
// typed is missing.
"use strict";

(() => {
  const root = document.documentElement;

  // Light or dark theme.
  const button = document.querySelector(".theme");
  if (button) {
    button.hidden = false;
    button.addEventListener("click", () => {
      const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
      root.dataset.theme = dark ? "light" : "dark";
      try {
        localStorage.setItem("locus-theme", root.dataset.theme);
      } catch {
        // The choice lasts as long as the page.
      }
      document.dispatchEvent(new Event("locus-theme"));
    });
  }

  // "/" focuses the box, j and k move through the links of a list, digits select the
  // link of that number.
  const box = document.getElementById("box");
  const rows = () => document.querySelectorAll(".menu .item, .list tbody tr, .articles li, .results li, .cards .card");
  let at = -1;
  let digits = "";
  const goTo = (list, i) => {
    if (at >= 0 && list[at]) list[at].classList.remove("at");
    at = Math.max(0, Math.min(i, list.length - 1));
    const row = list[at];
    row.classList.add("at");
    const link = row.querySelector("a[href]");
    if (link) link.focus();
    row.scrollIntoView({ block: "nearest" });
  };
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.target.closest("input, textarea, select, .screen")) return;
    const list = rows();
    if (e.key === "/" && box) {
      e.preventDefault();
      box.focus();
      box.select();
    } else if ((e.key === "j" || e.key === "k") && list.length > 0) {
      e.preventDefault();
      goTo(list, at + (e.key === "j" ? 1 : -1));
      digits = "";
    } else if (/^[0-9]$/.test(e.key) && document.querySelector(".menu .number")) {
      digits = (digits + e.key).slice(-6);
      const number = [...document.querySelectorAll(".menu .number")].findIndex((n) => n.textContent === digits);
      if (number >= 0) goTo(list, number);
    } else if (e.key === "Escape") {
      digits = "";
    }
  });

  // Explains the text in the box.
  const form = document.querySelector("form[data-explain]");
  const place = document.getElementById("explained");
  if (form && place && box) {
    const begin = [...place.childNodes]; // where to begin, until a URL is typed
    let last = "";
    let pending = null;
    let timer = 0;
    const explain = async () => {
      const text = box.value.trim();
      if (text === last) return;
      last = text;
      if (pending) pending.abort();
      if (text === "") {
        place.replaceChildren(...begin);
        return;
      }
      pending = new AbortController();
      try {
        const address = form.dataset.explain + (form.dataset.explain.includes("?") ? "&" : "?") + "url=" + encodeURIComponent(text);
        const reply = await fetch(address, { signal: pending.signal });
        if (!reply.ok) return;
        const parsed = new DOMParser().parseFromString(await reply.text(), "text/html");
        place.replaceChildren(...parsed.body.childNodes);
      } catch {
        // A later request replaced this one, or the gateway is unreachable.
      }
    };
    box.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(explain, 120);
    });
    explain();
  }
})();
