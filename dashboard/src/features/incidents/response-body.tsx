import { useQuery } from '@tanstack/react-query'
import { Button } from '../../components/button.tsx'
import { useViewer } from '../../lib/api.ts'
import { errorMessage } from '../../lib/errors.ts'
import { bytes } from '../../lib/format.ts'
import { incidentPage } from '../../messages/incident-page.ts'
import { type FailedCheck, keptResponseQuery } from './queries.ts'
import { isCut } from './read-evidence.ts'

const text = incidentPage.evidence
const sizeOf = (body: string): string => bytes(new TextEncoder().encode(body).length)

interface Props {
  /** As the evidence has it. */
  body: string
  /** Undefined where no check of a monitor is known to have had it. */
  check: FailedCheck | undefined
}

/** The response of a target, always as text. Where the evidence has but its beginning, a button requests what was kept, at most 64 KiB. */
export function ResponseBody({ body, check }: Props) {
  return check && isCut(body) ? <CutBody body={body} check={check} /> : <Body>{body}</Body>
}

function CutBody({ body, check }: { body: string; check: FailedCheck }) {
  const { data, error, isFetching, refetch } = useQuery(keptResponseQuery(useViewer(), check))
  const isShown = typeof data === 'string'
  return (
    <>
      <Body isWhole={isShown}>{data ?? body}</Body>
      <p aria-live="polite" className="text-muted">
        {isShown && text.kept(sizeOf(data))}
        {data === null && text.notKept}
        {error && !isFetching && <span className="text-bad">{errorMessage(error)}</span>}
      </p>
      {data === undefined && (
        <Button small disabled={isFetching} onClick={() => void refetch()}>
          {text.showWhole}
        </Button>
      )}
    </>
  )
}

const Body = ({ children, isWhole = false }: { children: string; isWhole?: boolean }) => (
  <pre
    className={`overflow-auto rounded border border-line p-2 font-mono text-[0.85rem] whitespace-pre-wrap ${isWhole ? 'max-h-[70vh]' : 'max-h-64'}`}
  >
    {children}
  </pre>
)
