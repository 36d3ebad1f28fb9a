import type { ChangeSet, ChangeStep } from '@vedette/shared'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Page, Panel } from '../../components/page.tsx'
import { QueryPage } from '../../components/query-page.tsx'
import { hasPage, ResourceLink } from '../../components/resource-link.tsx'
import { Instant } from '../../components/time.tsx'
import { useViewer } from '../../lib/api.ts'
import { count } from '../../lib/format.ts'
import { changes } from '../../messages/changes.ts'
import { messages } from '../../messages/index.ts'
import { Fields } from './fields.tsx'
import { MadeBy, StateBadge } from './origin.tsx'
import { ApplyButton, UndoButton } from './questions.tsx'
import { fieldsOf } from './steps.ts'

const text = changes.one
const route = getRouteApi('/changes/$changeId')
/** A change set may have thousands of steps. */
const FIRST_STEPS = 50

export function ChangePage() {
  const { changeId } = route.useParams()
  const { client, organizationId } = useViewer()
  const query = useQuery({
    queryKey: [organizationId, 'changes', changeId],
    queryFn: ({ signal }) => client.changeSets.read(changeId, { signal }),
  })
  return (
    <QueryPage title={changes.title} query={query}>
      {(set) => (
        <Page key={set.id} title={changes.title} lead={<Lead set={set} />} aside={<Actions set={set} />}>
          <div className="grid max-w-5xl gap-4">
            <Links set={set} />
            {set.warnings.length > 0 && (
              <Panel title={text.warnings}>
                {set.warnings.map((warning) => (
                  <p key={warning} className="text-warn [overflow-wrap:anywhere]">
                    {warning}
                  </p>
                ))}
              </Panel>
            )}
            <Steps steps={set.steps} />
          </div>
        </Page>
      )}
    </QueryPage>
  )
}

function Lead({ set }: { set: ChangeSet }) {
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <StateBadge state={set.state} />
      <MadeBy set={set} />
      {set.expires_at !== null && set.state === 'proposed' && (
        <span>
          {text.expires} <Instant at={set.expires_at} />
        </span>
      )}
    </span>
  )
}

function Actions({ set }: { set: ChangeSet }) {
  const { can } = useViewer()
  // Where a toast leads: see undo-last.ts.
  const isOpenAtOnce = 'undo' in route.useSearch()
  // Each step needs a right of its own, which the API names; a viewer has none of them.
  if (!can('monitors:update')) return null
  if (set.state === 'proposed') return <ApplyButton set={set} />
  return set.state === 'applied' && <UndoButton key={String(isOpenAtOnce)} set={set} isOpenAtOnce={isOpenAtOnce} />
}

const LINK = 'text-accent hover:underline'

function Links({ set: { undoes, undone_by: undoneBy } }: { set: ChangeSet }) {
  const links = [
    [undoes, text.undoes],
    [undoneBy, text.undoneBy],
  ] as const
  return (
    <p className="flex flex-wrap gap-x-4 gap-y-1">
      <Link to="/changes" className={LINK}>
        {changes.showAll}
      </Link>
      {links.map(
        ([id, label]) =>
          id !== null && (
            <Link key={label} to="/changes/$changeId" params={{ changeId: id }} className={LINK}>
              {label}
            </Link>
          ),
      )}
    </p>
  )
}

function Steps({ steps }: { steps: readonly ChangeStep[] }) {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? steps : steps.slice(0, FIRST_STEPS)
  return (
    <Panel title={text.steps} flush>
      {steps.length === 0 && <p className="px-4 pb-4 text-muted">{changes.nothing}</p>}
      {steps.length > 0 && (
        <ul className="divide-y divide-line border-line border-t">
          {shown.map((step, index) => (
            <Step key={step.id ?? index} step={step} />
          ))}
        </ul>
      )}
      {shown.length < steps.length && (
        <div className="px-4 py-3">
          <Button small onClick={() => setWhole(true)}>
            {messages.list.showAll(steps.length)}
          </Button>
        </div>
      )}
    </Panel>
  )
}

function Step({ step }: { step: ChangeStep }) {
  const { action, kind, id, says, refused } = step
  const fields = fieldsOf(step)
  const isWhole = step.before !== null && step.after !== null
  return (
    <li>
      <div className="flex flex-wrap items-baseline gap-x-4 gap-y-1 px-4 py-2.5">
        <p className="min-w-0 flex-1 basis-52 font-medium [overflow-wrap:anywhere]">{says}</p>
        {id !== null && action !== 'delete' && hasPage(kind) && (
          <ResourceLink type={kind} id={id}>
            {text.open}
          </ResourceLink>
        )}
        {refused !== null && (
          <p className="w-full text-bad [overflow-wrap:anywhere]">
            {text.refused} {refused}
          </p>
        )}
      </div>
      {isWhole && fields.length > 0 && <Fields label={says} fields={fields} />}
      {!isWhole && (
        <details>
          <summary className="px-4 pb-2.5 text-muted">{text.fields(count(fields.length))}</summary>
          <Fields label={says} fields={fields} />
        </details>
      )}
    </li>
  )
}
