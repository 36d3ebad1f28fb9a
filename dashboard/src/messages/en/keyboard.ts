export const keyboard = {
  title: 'Keyboard shortcuts',
  search: 'Search this list',
  rows: 'Next and previous row',
  goTo: (page: string) => `Go to ${page.toLowerCase()}`,
  help: 'Show keyboard shortcuts',
}
