import { settingsPages } from '../../messages/settings-pages.ts'

/** The name of a well-known browser and its system; else the beginning of the user agent. Pure. */
export function programOf(userAgent: string): string {
  const browser = /(Edg|Firefox|Chrome|Safari)\/[\d.]+/.exec(userAgent)?.[1]
  const system = /(Windows|Mac OS X|Android|iPhone|Linux)/.exec(userAgent)?.[1]
  if (userAgent === '') return settingsPages.sessions.unknownProgram
  return browser === undefined ? userAgent.slice(0, 60) : [browser.replace('Edg', 'Edge'), system].filter(Boolean).join(' · ')
}
