"use strict";
(() => {
  const table = document.querySelector("table");
  if (!table) return;
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const search = document.getElementById("search");
  const verdict = document.getElementById("verdict");
  const shown = document.getElementById("shown");
  const texts = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));
  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const row of rows) {
      const text = texts.get(row);
      const fits = (!verdict.value || row.dataset.verdict === verdict.value) && words.every((word) => text.includes(word));
      row.hidden = !fits;
      if (fits) count++;
    }
    shown.textContent = count + " of " + rows.length + " shown";
  };
  const collator = new Intl.Collator("en", {numeric: true});
  const sort = (column, down) => {
    const key = (row) => row.cells[column].textContent;
    const order = [...rows].sort((a, b) => collator.compare(key(a), key(b)));
    if (down) order.reverse();
    body.append(...order);
  };
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      sort(column, down);
    });
    head.replaceChildren(button);
  });
  for (const name of [...new Set(rows.map((row) => row.dataset.verdict))].sort()) {
    verdict.add(new Option(name, name));
  }
  search.addEventListener("input", filter);
  verdict.addEventListener("change", filter);
  document.querySelector(".controls").hidden = false;
  filter();
})();
