import type { Overview } from '@vedette/shared'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Circle, CircleCheck } from '../../components/icons.tsx'
import { type ReactNode, useEffect, useState } from 'react'
import { Button, buttonClass } from '../../components/button.tsx'
import { Panel } from '../../components/page.tsx'
import { toast } from '../../components/toast.tsx'
import { ownerOf, pollEvery, useViewer } from '../../lib/api.ts'
import { channelsQuery } from '../../lib/channel-queries.ts'
import { changePreferences, preferences } from '../../lib/preferences.ts'
import { statesQuery } from '../../lib/states.ts'
import { messages } from '../../messages/index.ts'
import { hasProblems } from './has-problems.ts'
import { checklistItems, type ChecklistItem } from './checklist-items.ts'

const text = messages.overview.checklist
/** Somebody waits for the first sample. */
const WAITING_MS = 4_000

interface Props {
  overview: Overview
  /** Shown where there is no checklist. */
  otherwise?: ReactNode
}

/** The first steps of an organization, until all are done or this person hides them. */
export default function Checklist({ overview, otherwise }: Props) {
  const viewer = useViewer()
  const owner = ownerOf(viewer)
  const { items, hasChannels } = useItems(overview)
  const [isOpened, setOpened] = useState(false)
  const mayDoAll = viewer.can('integrations:manage')
  const isComplete = items.every(({ isDone }) => isDone)
  useEffect(() => {
    // What is deleted later does not bring it back.
    if (isComplete && mayDoAll) hide(owner)
  }, [isComplete, mayDoAll, owner])
  if (!items.some(({ isDone }) => isDone === false)) return otherwise
  // What is wrong comes first: the steps are one line meanwhile.
  const isFolded = hasProblems(overview) && !isOpened
  const done = items.filter(({ isDone }) => isDone).length
  return (
    <Panel
      title={text.title}
      className="mb-4"
      flush
      aside={
        <span className="flex items-center gap-3 text-muted">
          {text.progress(done, items.length)}
          {isFolded && (
            <Button small onClick={() => setOpened(true)}>
              {text.show}
            </Button>
          )}
          <Button small onClick={() => hideWithUndo(owner)}>
            {text.hide}
          </Button>
        </span>
      }
    >
      {!isFolded && (
        <ul className="divide-y divide-line border-line border-t">
          {items.map((item) => (
            <Step key={item.name} item={item} note={noteOf(item.name, overview)}>
              <Action name={item.name} hasChannels={hasChannels} />
            </Step>
          ))}
        </ul>
      )}
    </Panel>
  )
}

function useItems(overview: Overview): { items: ChecklistItem[]; hasChannels: boolean } {
  const viewer = useViewer()
  const isManaging = viewer.can('integrations:manage')
  const hasServers = overview.servers.total > 0
  const states = useQuery({
    ...statesQuery(viewer),
    enabled: isManaging && hasServers,
    refetchInterval: (query) => {
      const servers = query.state.data?.servers ?? []
      const isWaiting = servers.some(({ waiting }) => waiting) && !servers.some(isSampled)
      return isWaiting ? pollEvery(WAITING_MS)(query) : pollEvery(30_000, 60_000)(query)
    },
  })
  const channels = useQuery({ ...channelsQuery(viewer, 1), enabled: isManaging }).data?.channels
  const facts = {
    servers: overview.servers.total,
    isSampled: hasServers ? states.data?.servers.some(isSampled) : false,
    monitors: overview.monitors.total,
    isChannelTested: channels?.some(
      ({ last_test }) => last_test?.delivered || preferences().testedChannel.includes(ownerOf(viewer)),
    ),
    isExported: overview.last_export_at !== null,
  }
  return { items: checklistItems(facts, viewer.can), hasChannels: channels !== undefined && channels.length > 0 }
}

const isSampled = ({ status, waiting }: { status: string; waiting: boolean }): boolean => status === 'online' && !waiting

const hide = (owner: string) => changePreferences({ withoutChecklist: [...preferences().withoutChecklist, owner] })

function hideWithUndo(owner: string): void {
  hide(owner)
  toast(text.hidden, async () =>
    changePreferences({ withoutChecklist: preferences().withoutChecklist.filter((each) => each !== owner) }),
  )
}

function noteOf(name: ChecklistItem['name'], { servers }: Overview): string {
  if (name === 'host') return servers.total > 0 ? text.waiting : text.notes.host
  return text.notes[name]
}

function Step({ item: { name, isDone }, note, children }: { item: ChecklistItem; note: string; children: ReactNode }) {
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2.5">
      {isDone ? (
        <CircleCheck size={18} className="text-good" aria-hidden="true" />
      ) : (
        <Circle
          size={18}
          className={isDone === undefined ? 'skeleton rounded-full text-muted' : 'text-muted'}
          aria-hidden="true"
        />
      )}
      <div className="min-w-0 flex-1 basis-52">
        <p className={isDone ? 'text-soft' : 'font-medium'}>
          {text.steps[name]}
          {isDone !== undefined && <span className="sr-only">: {isDone ? text.done : text.open}</span>}
        </p>
        {isDone === false && <p className="text-[0.93rem] text-muted">{note}</p>}
      </div>
      {isDone === false && children}
    </li>
  )
}

function Action({ name, hasChannels }: { name: ChecklistItem['name']; hasChannels: boolean }) {
  const className = buttonClass('plain', true)
  switch (name) {
    case 'server':
      return (
        <Link to="/servers/add" className={className}>
          {messages.servers.add}
        </Link>
      )
    case 'monitor':
      return (
        <Link to="/monitors/add" className={className}>
          {messages.monitors.add}
        </Link>
      )
    case 'channel':
      return hasChannels ? (
        <Link to="/alerts/{-$section}" params={{ section: 'channels' }} className={className}>
          {text.testChannel}
        </Link>
      ) : (
        <Link to="/alerts/channels/add" className={className}>
          {text.addChannel}
        </Link>
      )
    case 'backup':
      return <code className="rounded-lg border border-line bg-sunken px-2.5 py-1 text-[0.9rem]">vedette backup --to DIR</code>
    case 'host':
      return null
  }
}
