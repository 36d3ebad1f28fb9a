import type { StatusPage } from '@vedette/shared'
import { useQuery } from '@tanstack/react-query'
import { type SyntheticEvent, useMemo } from 'react'
import { ErrorPanel, Panel, SkeletonRows } from '../../components/page.tsx'
import { useViewer } from '../../lib/api.ts'
import { statusPages } from '../../messages/status-pages.ts'
import { previewQuery } from './queries.ts'

const text = statusPages

export function Preview({ page }: { page: StatusPage }) {
  const preview = useQuery(previewQuery(useViewer(), page))
  return (
    <Panel title={text.preview}>
      <p className="mb-3 text-muted">{text.previewLead}</p>
      {/* The same height before it is read: what is below does not move. */}
      <div className="h-[36rem]">
        {preview.isError && <ErrorPanel error={preview.error} onRetry={() => void preview.refetch()} />}
        {preview.isPending && <SkeletonRows rows={6} />}
        {preview.data && <PreviewFrame html={preview.data.html} />}
      </div>
    </Panel>
  )
}

/**
 * A frame without scripts. It inherits the policy of the dashboard, which blocks the style element of the page: its text comes in as
 * a style sheet of the frame's document instead, which no markup can do.
 */
function PreviewFrame({ html }: { html: string }) {
  const { markup, style } = useMemo(() => split(html), [html])
  const addStyle = ({ currentTarget: frame }: SyntheticEvent<HTMLIFrameElement>) => {
    const view = frame.contentWindow as (Window & Pick<typeof globalThis, 'CSSStyleSheet'>) | null
    if (!view) return
    const sheet = new view.CSSStyleSheet()
    sheet.replaceSync(style)
    view.document.adoptedStyleSheets = [sheet]
  }
  return (
    <iframe
      title={text.preview}
      // The same origin, so that this page reaches its document; scripts, forms and navigation stay off.
      sandbox="allow-same-origin"
      srcDoc={markup}
      onLoad={addStyle}
      className="size-full rounded-lg border border-line bg-white"
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
