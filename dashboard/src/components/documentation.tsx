import { safeUrl } from '@vedette/shared/markdown'
import type { Documentation } from '../lib/documentation.ts'
import { documentation as text } from '../messages/documentation.ts'
import { Markdown, OutsideLink } from './markdown.tsx'
import { Fact, Panel } from './page.tsx'

interface Props {
  documentation: Documentation
  /** What it is about, on the page of an incident. */
  about?: 'rule' | 'target'
}

const TITLES = { rule: text.ofRule, target: text.ofTarget }

/** What people say about a monitor, a server or a rule. */
export default function DocumentationPanel({ documentation, about }: Props) {
  const { description, runbook_url: runbook, responsible = null, links = [] } = documentation
  return (
    <Panel title={about ? TITLES[about] : text.title}>
      {description !== null && <Markdown text={description} />}
      <dl>
        {runbook !== null && (
          <Fact name={text.runbook}>
            <PageAt url={runbook} name={runbook} />
          </Fact>
        )}
        {responsible !== null && <Fact name={text.responsible}>{responsible}</Fact>}
        {links.length > 0 && (
          <Fact name={text.links}>
            {links.map(({ name, url }, index) => (
              <span key={`${index} ${url}`} className="block [overflow-wrap:anywhere]">
                <PageAt url={url} name={name} />
              </span>
            ))}
          </Fact>
        )}
      </dl>
    </Panel>
  )
}

/** Evidence is kept for long: what is no address stays a text. */
function PageAt({ url, name }: { url: string; name: string }) {
  const safe = safeUrl(url)
  return safe === undefined ? name : <OutsideLink url={safe} name={name} />
}
