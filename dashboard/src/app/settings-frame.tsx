import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Page } from '../components/page.tsx'
import { tabClass } from '../components/tab-class.ts'
import { useViewer } from '../lib/api.ts'
import { messages } from '../messages/index.ts'
import { allowedSections } from './settings-sections.ts'

const text = messages.settings

/** The page with the list of sections. `section`: the one on display, `changes` for the page of its own. */
export function SettingsFrame({ section, children }: { section: string; children: ReactNode }) {
  const { can } = useViewer()
  const current = (id: string) => ({
    'aria-current': id === section ? ('page' as const) : undefined,
    className: tabClass(id === section),
  })
  return (
    <Page title={text.title}>
      <div className="grid items-start gap-4 lg:grid-cols-[12rem_minmax(0,1fr)] lg:gap-8">
        <nav aria-label={text.title} className="flex flex-wrap gap-1 lg:flex-col">
          {allowedSections(can).map(({ id, name }) => (
            <Link key={id} to="/settings/{-$section}" params={{ section: id }} {...current(id)}>
              {name}
            </Link>
          ))}
          <Link to="/changes" {...current('changes')}>
            {text.sections.changes}
          </Link>
        </nav>
        <div className="grid min-w-0 max-w-5xl gap-4">{children}</div>
      </div>
    </Page>
  )
}
