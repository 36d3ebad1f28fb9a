import type { Managed } from '@vedette/shared'
import { Link } from '@tanstack/react-router'
import { changes } from '../messages/changes.ts'

/** Loaded where something is managed. */
export default function ManagedNote({ managed: { owner, file, line } }: { managed: Managed }) {
  const place = file === null ? '' : line === null ? ` (${file})` : ` (${changes.line(file, String(line))})`
  return (
    <p className="panel px-4 py-1.5 text-soft [overflow-wrap:anywhere]">
      {changes.managedBy}{' '}
      <Link to="/changes" search={{ owner }} className="font-medium text-accent hover:underline">
        {owner}
      </Link>
      {place}
    </p>
  )
}
