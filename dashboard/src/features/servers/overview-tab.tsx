import type { ServerDetails } from '@vedette/shared'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { AppliedRules, OpenIncidents } from '../../components/target-alerts.tsx'
import { useViewer } from '../../lib/api.ts'
import { hasDocumentation } from '../../lib/has-documentation.ts'
import { createPart } from '../../lib/create-part.tsx'
import type { Range } from '../../lib/range.ts'
import { allRulesQuery, appliesTo } from '../../lib/target-queries.ts'
import { ServerCharts } from './charts.tsx'
import { Filesystems, Interfaces } from './dimensions.tsx'
import { Facts } from './facts.tsx'
import { LatestSample } from './latest-sample.tsx'
import { Processes } from './processes.tsx'

const { Part: Certificates } = createPart(() => import('./certificates.tsx'))
const { Part: DocumentationPanel } = createPart(() => import('../../components/documentation.tsx'))
const { Part: Sources } = createPart(() => import('./sources.tsx'))

interface Props {
  server: ServerDetails
  range: Range
  compare: string | undefined
  onZoom: (from: number, to: number) => void
  onReset: () => void
  /** The controls of the range. */
  children: ReactNode
}

/** The latest sample, the charts, and what most hosts have: processes, filesystems, interfaces. */
export function OverviewTab({ server, range, compare, onZoom, onReset, children }: Props) {
  /** The time whose processes are shown, ms; undefined: the latest push. */
  const [pinned, setPinned] = useState<number>()
  return (
    <>
      <OpenIncidents id={server.id} />
      <LatestSample server={server} />
      {children}
      <ServerCharts server={server} range={range} compare={compare} onZoom={onZoom} onReset={onReset} onPick={setPinned} />
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <div className="grid min-w-0 gap-4">
          <Processes server={server} pinned={pinned} onUnpin={() => setPinned(undefined)} />
          <Filesystems server={server} range={range} onZoom={onZoom} />
          <Interfaces serverId={server.id} range={range} />
        </div>
        <div className="grid min-w-0 gap-4">
          {hasDocumentation(server) && <DocumentationPanel documentation={server} />}
          <Rules server={server} />
          <Facts server={server} />
          <Certificates server={server} />
          <Sources server={server} />
        </div>
      </div>
    </>
  )
}

function Rules({ server: { id, tags } }: { server: ServerDetails }) {
  const { data } = useQuery(allRulesQuery(useViewer()))
  const subject = { type: 'server', id, tags } as const
  return <AppliedRules subject={subject} rules={data?.filter(({ enabled, target }) => enabled && appliesTo(target, subject))} />
}
