import { messages } from '../messages/index.ts'

let page = ''
let openIncidents = 0

/** Names the page in the title of the window, after the number of open incidents. */
export function setPageTitle(title: string): void {
  page = title
  update()
}

/** Shows the number of open incidents in the title of the window and in its icon. */
export function setOpenIncidents(count: number): void {
  openIncidents = count
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]')
  if (icon) icon.href = count === 0 ? '/icon.svg' : countIcon(count)
  update()
}

function update(): void {
  document.title = `${openIncidents > 0 ? `(${openIncidents}) ` : ''}${page} · ${messages.brand}`
}

/** A red square with the number. */
function countIcon(count: number): string {
  const text = count > 99 ? '99+' : String(count)
  const size = [0, 24, 19, 15][text.length] ?? 15
  return `data:image/svg+xml,${encodeURIComponent(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#b91c1c"/><text x="16" y="${16 + size * 0.36}" font-family="system-ui,sans-serif" font-weight="700" font-size="${size}" fill="#fff" text-anchor="middle">${text}</text></svg>`,
  )}`
}
