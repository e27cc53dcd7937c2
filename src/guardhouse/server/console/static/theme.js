// The theme that somebody chose, before anything is drawn. Without a choice, the system's.
(() => {
  const chosen = localStorage.getItem("guardhouse.theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
})();
