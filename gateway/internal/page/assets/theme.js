// Applies the theme that was chosen before, before anything is drawn. Without a choice or
// JavaScript, the system's theme applies.
"use strict";
try {
  const chosen = localStorage.getItem("locus-theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch {
  // Storage is disabled.
}
