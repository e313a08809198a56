// Light or dark as it was chosen here before; runs before anything is drawn. Without
// a choice, or without JavaScript, the system's own counts.
"use strict";
try {
  const chosen = localStorage.getItem("locus-theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch {
  // There is no place to remember it.
}
