import type { Incident, IncidentStory, StoryEvent, StoryEventKind } from '@vedette/shared'
import { MAX_COMMENT_LENGTH } from '@vedette/shared/tables'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import {
  Activity,
  BellOff,
  BellRing,
  Bookmark,
  Check,
  Download,
  Eye,
  Globe,
  type IconComponent,
  MessageSquare,
  Pencil,
  Play,
  TriangleAlert,
} from '../../components/icons.tsx'
import { Button } from '../../components/button.tsx'
import { Field } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { Fact, Panel } from '../../components/page.tsx'
import { Instant } from '../../components/time.tsx'
import { toastError } from '../../components/toast.tsx'
import { useCache, useViewer } from '../../lib/api.ts'
import { personText } from '../../lib/person.ts'
import { saveFile } from '../../lib/save-file.ts'
import { dayAndClock, inViewerZone } from '../../lib/time.ts'
import { useForm } from '../../lib/use-form.ts'
import { incidentPage } from '../../messages/incident-page.ts'
import { messages } from '../../messages/index.ts'
import { timelineQuery } from './queries.ts'

const text = incidentPage.timeline
const ICONS: Readonly<Record<StoryEventKind, IconComponent>> = {
  opened: TriangleAlert,
  silenced: BellOff,
  unsilenced: BellRing,
  flapping: Activity,
  stable: Activity,
  notified: BellRing,
  acknowledged: Eye,
  reopened: TriangleAlert,
  resolved: Check,
  comment: MessageSquare,
  annotation: Bookmark,
  change: Pencil,
  restart: Play,
  update: Download,
  backend: Activity,
  post: Globe,
}

/** What happened to all incidents with the cause of this one and before, oldest first, and a form for comments. */
export function Timeline({ incident: { id, timeline } }: { incident: Incident }) {
  const viewer = useViewer()
  const story = useQuery(timelineQuery(viewer, id)).data
  const events = story?.events ?? timeline.map(ofOneIncident)
  return (
    <Panel title={text.title} aside={<PostMortem id={id} />} flush>
      <ol className="divide-y divide-line border-line border-t">
        {events.map((event, index) => (
          // The index as well: several steps may have the same time.
          <TimelineEntry key={`${event.at} ${index}`} event={event} />
        ))}
      </ol>
      {story?.has_more === true && <p className="border-line border-t px-4 py-2.5 text-muted">{incidentPage.moreEvents}</p>}
      {viewer.can('monitors:update') && <AddComment incidentId={id} />}
    </Panel>
  )
}

/** Until the story is there. */
const ofOneIncident = ({ at, type, message, user }: Incident['timeline'][number]): StoryEvent => ({
  at,
  kind: type,
  text: message,
  count: 1,
  targets: [],
  actor: user ? personText(user) : null,
  url: null,
})

function TimelineEntry({ event: { at, kind, text: what, count, targets, actor, url } }: { event: StoryEvent }) {
  const Icon = ICONS[kind]
  const step = text.steps[kind] ?? kind
  const isOfMany = count > 1
  const others = count - targets.length
  const names = `${targets.join(', ')}${others > 0 && targets.length > 0 ? ` ${messages.incidents.moreChildren(others)}` : ''}`
  const isNamed = isOfMany || kind === 'change' || kind === 'restart' || kind === 'update' || kind === 'post'
  return (
    <li className="flex items-start gap-3 px-4 py-2.5">
      <Icon size={16} aria-hidden="true" className="mt-0.5 shrink-0 text-muted" />
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap justify-between gap-x-3 text-[0.92rem] text-muted">
          <span className="min-w-0 [overflow-wrap:anywhere]">
            {isOfMany ? text.times(step, count) : step}
            {actor !== null && ` · ${actor}`}
          </span>
          <Instant at={at} format={dayAndClock} />
        </p>
        {!isOfMany && what !== kind && (
          <p className="whitespace-pre-wrap">
            {url === null ? (
              inViewerZone(what, Date.parse(at))
            ) : (
              <a href={url} rel="noreferrer" className="text-accent hover:underline">
                {what}
              </a>
            )}
          </p>
        )}
        {isNamed && names !== '' && <p className="text-soft">{names}</p>}
      </div>
    </li>
  )
}

function PostMortem({ id }: { id: string }) {
  const { client } = useViewer()
  const save = async () => {
    const content = await client.incidents.story(id, { format: 'markdown' })
    saveFile(new Blob([content], { type: 'text/markdown' }), `post-mortem-${id}.md`)
  }
  return (
    <Button title={incidentPage.postMortemLead} onClick={() => void save().catch(toastError)}>
      <Download size={15} aria-hidden="true" />
      {incidentPage.postMortem}
    </Button>
  )
}

const PATHS = { monitor: '/monitors/$monitorId', server: '/servers/$serverId', slo: '/slos/$sloId' } as const
const paramsOf = (id: string) => ({ monitorId: id, serverId: id, sloId: id })

/** What the story affects, and who was notified by which way. */
export function StoryPanels({ incident: { id } }: { incident: Incident }) {
  const { data: story, isPending } = useQuery(timelineQuery(useViewer(), id))
  if (!story) return isPending ? <Panel title={incidentPage.notified}>…</Panel> : null
  return (
    <>
      {story.affected.total > 1 && <Affected {...story.affected} />}
      <Panel title={incidentPage.notified}>
        {story.notified.length === 0 ? (
          <p className="text-muted">{incidentPage.nobody}</p>
        ) : (
          <dl>
            {story.notified.map(({ name, type }, index) => (
              <Fact key={`${name} ${index}`} name={type}>
                <span className="[overflow-wrap:anywhere]">{name}</span>
              </Fact>
            ))}
          </dl>
        )}
      </Panel>
    </>
  )
}

function Affected({ total, targets }: IncidentStory['affected']) {
  return (
    <Panel title={incidentPage.affected(total)}>
      <p className="flex flex-wrap gap-x-3 gap-y-1">
        {targets.map(({ type, id, name }) =>
          type === 'series' || type === 'external' ? (
            <span key={id} className="[overflow-wrap:anywhere]">
              {name}
            </span>
          ) : (
            <Link key={id} to={PATHS[type]} params={paramsOf(id)} className="min-w-0 text-accent hover:underline">
              {name}
            </Link>
          ),
        )}
        {total > targets.length && <span className="text-muted">{messages.incidents.moreChildren(total - targets.length)}</span>}
      </p>
    </Panel>
  )
}

function AddComment({ incidentId }: { incidentId: string }) {
  const { client } = useViewer()
  const cache = useCache()
  const form = useForm({ comment: '' }, async ({ comment }) => {
    cache.set(['incidents', incidentId], await client.incidents.comment(incidentId, { comment: comment.trim() }))
    form.change({ comment: '' })
    await cache.invalidate('incidents', 'story')
  })
  const { comment } = form.input
  return (
    <Form
      form={form}
      action={text.addComment}
      variant="plain"
      isDisabled={comment.trim() === ''}
      className="border-line border-t px-4 py-3"
    >
      <Field label={text.comment} hint={text.commentHint}>
        {(ids) => (
          <textarea
            {...ids}
            rows={2}
            maxLength={MAX_COMMENT_LENGTH}
            value={comment}
            onChange={(event) => form.change({ comment: event.target.value })}
            className="field"
          />
        )}
      </Field>
    </Form>
  )
}
