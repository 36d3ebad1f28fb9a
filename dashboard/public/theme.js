try {
  var theme = JSON.parse(localStorage.getItem('vedette-preferences') || '{}').theme
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // Without storage the page follows the system theme.
}
