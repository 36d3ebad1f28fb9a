{
  let preferences = {}
  try {
    preferences = JSON.parse(localStorage.getItem('vedette-preferences')) ?? {}
  } catch {
    // Without storage the page follows the system theme and the language of the browser.
  }
  const { theme, language } = preferences
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
  if (language) document.documentElement.dataset.language = language

  // The texts are requested together with the script, which waits for them. The build writes their files to the element of this script;
  // the choice is that of messages/language.ts.
  const file = [language, ...navigator.languages, 'en']
    .map((tag) => document.currentScript.getAttribute(`data-${String(tag).toLowerCase().split('-')[0]}`))
    .find((href) => href)
  if (file) {
    const link = document.createElement('link')
    link.rel = 'modulepreload'
    link.crossOrigin = ''
    link.href = file
    document.head.append(link)
  }

  // The browser takes some 35 ms for its first date or number of a language: here while the script is fetched, not while it runs.
  setTimeout(() => Intl.DateTimeFormat())
}
