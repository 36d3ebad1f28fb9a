import type { MonitorDetails } from '@vedette/shared'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { ErrorPanel, SkeletonRows } from '../../../components/page.tsx'
import { ResourceLink } from '../../../components/resource-link.tsx'
import { StatusMark, toneOf } from '../../../components/status.tsx'
import { pollEvery, useViewer } from '../../../lib/api.ts'
import { statusName } from '../../../lib/status.ts'
import { composites } from '../../../messages/composites.ts'
import { readGraph } from './graph.ts'
import { NODE, pictureOf, type Picture, type PlacedNode } from './layers.ts'

const text = composites.map
const READ_MS = 60_000

/** A folded picture of what a composite rests on: its members, theirs, and what these depend on. */
export function CompositeMap({ monitor }: { monitor: MonitorDetails }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className="panel min-w-0" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="px-4 py-3 font-semibold">{text.title}</summary>
      {isOpen && <Map monitor={monitor} />}
    </details>
  )
}

function Map({ monitor }: { monitor: MonitorDetails }) {
  const { client, organizationId } = useViewer()
  const { data, isError, error, refetch } = useQuery({
    // Read again with each change of its own status.
    queryKey: [organizationId, 'monitors', monitor.id, 'map', monitor.status],
    queryFn: ({ signal }) => readGraph(client, monitor, signal),
    refetchInterval: pollEvery(READ_MS),
  })
  const picture = useMemo(() => data && pictureOf(data, monitor.id), [data, monitor.id])
  if (!picture) return isError ? <ErrorPanel error={error} onRetry={() => void refetch()} /> : <SkeletonRows rows={3} />
  return (
    <div className="grid gap-2 px-4 pb-4">
      {/* Scrolled by the arrow keys too. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <section tabIndex={0} aria-label={text.title} className="overflow-x-auto">
        <Drawing picture={picture} />
      </section>
      {data?.isCut && <p className="text-muted">{text.cut}</p>}
    </div>
  )
}

const STROKES = { good: 'stroke-good-bar', warn: 'stroke-warn-bar', bad: 'stroke-bad-bar', idle: 'stroke-field-line' }
const strokeOf = ({ status = 'inconclusive' }: PlacedNode): string => STROKES[toneOf(status)]

function Drawing({ picture: { width, height, nodes, edges } }: { picture: Picture }) {
  return (
    <svg width={width + 2} height={height + 2} viewBox={`-1 -1 ${width + 2} ${height + 2}`}>
      {edges.map(({ from, to }) => (
        <path key={`${from.key} ${to.key}`} d={lineOf(from, to)} fill="none" strokeWidth={2} className={strokeOf(to)} />
      ))}
      {nodes.map((node) => (
        <foreignObject key={node.key} x={node.x} y={node.y} width={NODE.width} height={NODE.height}>
          <div className="flex h-full items-center gap-2 rounded-lg border border-line bg-surface px-2.5 text-[0.92rem]">
            <StatusMark status={node.status ?? 'inconclusive'} className="size-2.5" />
            <span className="min-w-0 truncate" title={node.label}>
              {node.page ? <ResourceLink {...node.page}>{node.label}</ResourceLink> : <bdi>{node.label}</bdi>}
            </span>
            {node.status !== undefined && <span className="sr-only">{statusName(node.status)}</span>}
          </div>
        </foreignObject>
      ))}
    </svg>
  )
}

/** From the right side of one to the left side of the other. */
function lineOf(from: PlacedNode, to: PlacedNode): string {
  const [x1, y1] = [from.x + NODE.width, from.y + NODE.height / 2]
  const [x2, y2] = [to.x, to.y + NODE.height / 2]
  const middle = (x1 + x2) / 2
  return `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`
}
