import type { SessionItem } from '@vedette/shared'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Button } from '../../components/button.tsx'
import { ListPanel } from '../../components/list-panel.tsx'
import { Ago, Instant } from '../../components/time.tsx'
import { toast, toastError } from '../../components/toast.tsx'
import { useViewer } from '../../lib/api.ts'
import { day } from '../../lib/time.ts'
import { settingsPages } from '../../messages/settings-pages.ts'
import { programOf } from './program.ts'

const text = settingsPages.sessions
const QUERY_KEY = ['sessions']

/** The sessions of the user; all but the current one can be ended. */
export function Sessions() {
  const { client } = useViewer()
  const queries = useQueryClient()
  const end = async (id: string) => {
    await client.sessions.end(id)
    toast(text.ended)
    await queries.invalidateQueries({ queryKey: QUERY_KEY })
  }
  return (
    <ListPanel
      title={text.title}
      lead={text.lead}
      query={useQuery({ queryKey: QUERY_KEY, queryFn: ({ signal }) => client.sessions.list({ limit: 100 }, { signal }) })}
      rowsOf={({ sessions }) => sessions}
      row={(session) => <Session key={session.id} session={session} onEnd={() => void end(session.id).catch(toastError)} />}
    />
  )
}

interface SessionProps {
  session: SessionItem
  onEnd: () => void
}

function Session({ session, onEnd }: SessionProps) {
  const { current, remembered, wall, ip, user_agent, created_at, last_used_at, expires_at } = session
  return (
    <li className="flex items-center gap-4 px-4 py-2.5">
      <div className="min-w-0 flex-1">
        <p className="truncate" title={user_agent}>
          {programOf(user_agent)} <span className="text-muted">· {ip}</span>
        </p>
        <p className="text-[0.9rem] text-muted">
          {text.lastUsed} <Ago at={last_used_at ?? created_at} />
          {remembered && (
            <>
              {' · '}
              {text.remembered} <Instant at={expires_at} format={day} />
              {wall && ` · ${text.wall}`}
            </>
          )}
        </p>
      </div>
      {current ? (
        <span className="text-accent">{text.current}</span>
      ) : (
        <Button small onClick={onEnd}>
          {text.end}
        </Button>
      )}
    </li>
  )
}
