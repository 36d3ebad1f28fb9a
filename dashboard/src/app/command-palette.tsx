import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Activity, ArrowRight, type IconComponent, Plus, Server, TriangleAlert } from '../components/icons.tsx'
import { type ComponentProps, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { Dialog } from '../components/dialog.tsx'
import { StatusMark } from '../components/status.tsx'
import { useViewer } from '../lib/api.ts'
import { serverName } from '../lib/server-name.ts'
import { statusName } from '../lib/status.ts'
import { escalation } from '../messages/escalation.ts'
import { alerts } from '../messages/alerts.ts'
import { messages } from '../messages/index.ts'
import { paletteActions } from '../messages/palette-actions.ts'
import { windows } from '../messages/windows.ts'
import { useNavigation, WITHOUT_SECTION } from './navigation.ts'
import { type PaletteAction, usePaletteActions } from './palette-actions.ts'
import { readCommand } from './palette-command.ts'
import { allowedSections } from './settings-sections.ts'

const text = messages.palette
/** Of each kind. */
const MOST = 6
/** Of those that are not typed. */
const MOST_ACTIONS = 3
const PAUSE_MS = 150

interface Entry {
  key: string
  label: string
  /** Behind the label. */
  detail?: string | undefined
  status?: string
  Icon: IconComponent
  open: () => unknown
}

interface Props {
  /** What was typed before it was loaded; undefined from then on. */
  early: { current: string | undefined }
  onClose: () => void
}

/** Finds hosts, monitors, incidents, pages and actions by a part of their name. */
export function CommandPalette({ early, onClose }: Props) {
  const id = useId()
  const [typed, setTyped] = useState(early.current ?? '')
  const [active, setActive] = useState(0)
  const list = useRef<HTMLUListElement>(null)
  const input = useRef<HTMLInputElement>(null)
  // After the dialog has opened, which focuses its first button.
  useEffect(() => {
    input.current?.focus()
    early.current = undefined
  }, [early])
  const { entries, isSearching } = useEntries(typed.trim())
  const [isEntered, setEntered] = useState(false)
  const chosen = Math.min(active, entries.length - 1)
  const open = (entry: Entry | undefined) => {
    if (!entry) return
    onClose()
    void entry.open()
  }
  useEffect(() => {
    if (!isEntered || isSearching) return
    setEntered(false)
    open(entries[chosen])
  })
  useEffect(() => {
    list.current?.children[chosen]?.scrollIntoView({ block: 'nearest' })
  }, [chosen])
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) setActive((chosen + step + entries.length) % Math.max(entries.length, 1))
    // The first entry is still that of what was typed before: Enter means the one that comes.
    else if (event.key === 'Enter' && isSearching && active === 0) setEntered(true)
    else if (event.key === 'Enter') open(entries[chosen])
    else return
    event.preventDefault()
  }
  return (
    <Dialog title={text.title} isOpen onClose={onClose}>
      <input
        ref={input}
        role="combobox"
        aria-expanded
        aria-controls={id}
        aria-activedescendant={entries.length > 0 ? `${id}-${chosen}` : undefined}
        aria-label={text.label}
        placeholder={text.label}
        autoComplete="off"
        spellCheck={false}
        maxLength={200}
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value)
          setActive(0)
          setEntered(false)
        }}
        onKeyDown={press}
        className="field mb-2"
      />
      {/* Of a fixed height, so that the dialog does not jump while one types. */}
      <ul ref={list} id={id} role="listbox" aria-label={text.title} className="h-80 overflow-y-auto">
        {entries.map((entry, index) => (
          <Option
            key={entry.key}
            id={`${id}-${index}`}
            entry={entry}
            isChosen={index === chosen}
            onMouseMove={() => setActive(index)}
            onClick={() => open(entry)}
          />
        ))}
      </ul>
      <p role="status" className="sr-only">
        {text.found(entries.length)}
      </p>
    </Dialog>
  )
}

function Option({ entry, isChosen, ...rest }: { entry: Entry; isChosen: boolean } & ComponentProps<'li'>) {
  return (
    <li
      role="option"
      aria-selected={isChosen}
      {...rest}
      className={`flex cursor-pointer items-center gap-2.5 rounded-lg px-2.5 py-2 ${isChosen ? 'bg-accent-ground text-accent' : ''}`}
    >
      <entry.Icon size={16} aria-hidden="true" className="shrink-0" />
      <span className="truncate">{entry.label}</span>
      {entry.status !== undefined && (
        <span className="ml-auto inline-flex shrink-0 items-center gap-1.5 text-[0.88rem]">
          <StatusMark status={entry.status} className="size-2.5" />
          {statusName(entry.status)}
        </span>
      )}
      {entry.detail !== undefined && <span className="ml-auto truncate text-[0.88rem] text-soft">{entry.detail}</span>}
    </li>
  )
}

/** Pages and actions that contain the text, then what the API finds. */
function useEntries(typed: string): { entries: Entry[]; isSearching: boolean } {
  const { command, rest: query } = readCommand(typed, paletteActions.words)
  const { found, actions: all, isSearching } = useFound(query)
  const { can } = useViewer()
  const navigate = useNavigate()
  const pages = useNavigation().map(
    ({ to, label, Icon }): Entry => ({ key: to, label, Icon, open: () => navigate({ to, params: WITHOUT_SECTION }) }),
  )
  const sections = allowedSections(can).map(({ id: section, name }): Entry => {
    const open = () => navigate({ to: '/settings/{-$section}', params: { section } })
    return { key: `settings ${section}`, label: name, detail: messages.settings.title, Icon: ArrowRight, open }
  })
  const { changes } = messages.settings.sections
  sections.push({
    key: 'changes',
    label: changes,
    detail: messages.settings.title,
    Icon: ArrowRight,
    open: () => navigate({ to: '/changes' }),
  })
  const addPages = [
    { to: '/monitors/add', label: messages.monitors.add, isAllowed: can('monitors:create') },
    { to: '/servers/add', label: messages.overview.empty.server, isAllowed: can('integrations:manage') },
    { to: '/alerts/rules/add', label: alerts.rules.add, isAllowed: can('monitors:update') },
    { to: '/alerts/channels/add', label: alerts.channels.addTitle, isAllowed: can('integrations:manage') },
    { to: '/alerts/policies/add', label: escalation.policies.add, isAllowed: can('monitors:update') },
    { to: '/alerts/on-call/add', label: escalation.schedules.add, isAllowed: can('monitors:update') },
    { to: '/alerts/maintenance/add', label: windows.addTitle, isAllowed: can('monitors:update') },
  ] as const
  const allowed = addPages
    .filter(({ isAllowed }) => isAllowed)
    .map(({ to, label }): Entry => ({ key: to, label, Icon: Plus, open: () => navigate({ to }) }))
  if (command !== undefined) return { entries: all.filter((action) => action.command === command), isSearching }
  const contains = ({ label }: Entry) => label.toLowerCase().includes(query.toLowerCase())
  const others = [...pages, ...allowed, ...(query === '' ? [] : sections)].filter(contains)
  return { entries: [...found, ...all.slice(0, MOST_ACTIONS), ...others], isSearching }
}

/** `isSearching`: what is found belongs to an earlier query. */
function useFound(query: string): { found: Entry[]; actions: PaletteAction[]; isSearching: boolean } {
  const actionsOf = usePaletteActions()
  const { client, organizationId } = useViewer()
  const navigate = useNavigate()
  const { data, isPending, isPlaceholderData } = useQuery({
    queryKey: [organizationId, 'palette', query],
    enabled: query !== '',
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      await pause(signal)
      const some = { q: query, limit: MOST } as const
      const [servers, monitors, incidents] = await Promise.all([
        client.servers.list({ ...some, sort: 'status' }, { signal }),
        client.monitors.list({ ...some, sort: 'status' }, { signal }),
        client.incidents.list({ ...some, status: ['open', 'acknowledged'], sort: 'severity' }, { signal }),
      ])
      return { servers: servers.servers, monitors: monitors.monitors, incidents: incidents.incidents }
    },
  })
  if (query === '' || !data) return { found: [], actions: [], isSearching: query !== '' && isPending }
  const found = [
    ...data.incidents.map(({ id, summary, severity }): Entry => {
      const open = () => navigate({ to: '/incidents/$incidentId', params: { incidentId: id } })
      return { key: id, label: summary, status: severity, Icon: TriangleAlert, open }
    }),
    ...data.servers.map((server): Entry => {
      const open = () => navigate({ to: '/servers/$serverId', params: { serverId: server.id } })
      return { key: server.id, label: serverName(server), status: server.status, Icon: Server, open }
    }),
    ...data.monitors.map(({ id, name, status }): Entry => {
      const open = () => navigate({ to: '/monitors/$monitorId', params: { monitorId: id } })
      return { key: id, label: name, status, Icon: Activity, open }
    }),
  ]
  return { found, actions: actionsOf(data), isSearching: isPlaceholderData }
}

/** Waits for a pause in typing; the next key aborts it. */
function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    setTimeout(resolve, PAUSE_MS)
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  })
}
