import { type SyntheticEvent, useMemo } from 'react'

interface Props {
  title: string
  /** A whole document of the API. */
  html: string
  className: string
  /** Called once the document has its style. */
  onReady?: (view: Window) => void
  /** For documents that are only printed. */
  isHidden?: boolean
}

/**
 * A frame without scripts. It inherits the policy of the dashboard, which blocks the style element of the page: its text comes in as
 * a style sheet of the frame's document instead, which no markup can do.
 */
export function FramedDocument({ title, html, className, onReady, isHidden = false }: Props) {
  const { markup, style } = useMemo(() => split(html), [html])
  const addStyle = ({ currentTarget: frame }: SyntheticEvent<HTMLIFrameElement>) => {
    const view = frame.contentWindow as (Window & Pick<typeof globalThis, 'CSSStyleSheet'>) | null
    if (!view) return
    const sheet = new view.CSSStyleSheet()
    sheet.replaceSync(style)
    view.document.adoptedStyleSheets = [sheet]
    onReady?.(view)
  }
  return (
    <iframe
      title={title}
      aria-hidden={isHidden}
      tabIndex={isHidden ? -1 : 0}
      // The same origin, so that this page reaches its document; modals, so that this page can print it. Scripts, forms and navigation
      // stay off.
      sandbox="allow-same-origin allow-modals"
      srcDoc={markup}
      onLoad={addStyle}
      className={className}
    />
  )
}

/**
 * The markup without styles, scripts and addresses of links, and the styles. They are cut before the markup is parsed: the policy
 * applies to a parsed document as well. Only elements of the page have these tags, since texts of people are escaped.
 */
function split(html: string): { markup: string; style: string } {
  const style = [...html.matchAll(/<style>(.*?)<\/style>/gs)].map(([, rules]) => rules).join('\n')
  const rest = html.replaceAll(/<(style|script)>.*?<\/\1>/gs, '')
  const parsed = new DOMParser().parseFromString(rest, 'text/html')
  for (const link of parsed.querySelectorAll('a')) link.removeAttribute('href')
  return { markup: `<!doctype html>${parsed.documentElement.outerHTML}`, style }
}
