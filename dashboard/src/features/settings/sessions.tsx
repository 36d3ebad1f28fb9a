import type { SessionItem } from '@vedette/shared'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Button } from '../../components/button.tsx'
import { Panel, SkeletonRows } from '../../components/page.tsx'
import { Ago } from '../../components/time.tsx'
import { toast } from '../../components/toast.tsx'
import { useViewer } from '../../lib/api.ts'
import { sentenceOf } from '../../lib/errors.ts'
import { text } from '../../messages/index.ts'

const words = text.settings.sessions

/** Where one is signed in; an unknown one can be ended. */
export function Sessions() {
  const { client } = useViewer()
  const queries = useQueryClient()
  const { data } = useQuery({ queryKey: ['sessions'], queryFn: ({ signal }) => client.sessions.list({ limit: 100 }, { signal }) })
  const end = async (id: string) => {
    try {
      await client.sessions.end(id)
      toast(words.ended)
      await queries.invalidateQueries({ queryKey: ['sessions'] })
    } catch (error) {
      toast(sentenceOf(error), 'bad')
    }
  }
  return (
    <Panel title={words.title} flush>
      {data ? (
        <ul className="divide-y divide-line border-line border-t">
          {data.sessions.map((session) => (
            <Session key={session.id} session={session} onEnd={() => void end(session.id)} />
          ))}
        </ul>
      ) : (
        <SkeletonRows rows={2} />
      )}
    </Panel>
  )
}

function Session({
  session: { current, ip, user_agent, created_at, last_used_at },
  onEnd,
}: {
  session: SessionItem
  onEnd: () => void
}) {
  return (
    <li className="flex items-center gap-4 px-4 py-2.5">
      <div className="min-w-0 flex-1">
        <p className="truncate" title={user_agent}>
          {programOf(user_agent)} <span className="text-muted">· {ip}</span>
        </p>
        <p className="text-[0.9rem] text-muted">
          {words.used} <Ago at={last_used_at ?? created_at} />
        </p>
      </div>
      {current ? (
        <span className="text-accent">{words.current}</span>
      ) : (
        <Button small onClick={onEnd}>
          {words.end}
        </Button>
      )}
    </li>
  )
}

/** The few that people know by name; else what it calls itself. */
function programOf(userAgent: string): string {
  const known = /(Edg|Firefox|Chrome|Safari)\/[\d.]+/.exec(userAgent)?.[1]
  const system = /(Windows|Mac OS X|Android|iPhone|Linux)/.exec(userAgent)?.[1]
  if (userAgent === '') return words.unnamed
  return known === undefined ? userAgent.slice(0, 60) : [known.replace('Edg', 'Edge'), system].filter(Boolean).join(' · ')
}
