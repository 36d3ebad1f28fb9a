try {
  var preferences = JSON.parse(localStorage.getItem('vedette-preferences') || '{}')
  if (preferences.theme === 'light' || preferences.theme === 'dark') document.documentElement.dataset.theme = preferences.theme
  if (preferences.language) document.documentElement.dataset.language = preferences.language
} catch {
  // Without storage the page follows the system theme and the language of the browser.
}
