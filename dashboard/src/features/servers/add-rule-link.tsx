import { Link } from '@tanstack/react-router'
import { buttonClass } from '../../components/button.tsx'
import { Plus } from '../../components/icons.tsx'
import { useViewer } from '../../lib/api.ts'
import { entities } from '../../messages/entities.ts'

const text = entities.addRule

interface Props {
  search: { server: string; metric: string; name?: string; mount?: string }
  /** What the rule is about, for screen readers. */
  of: string
}

/** Leads to the rule editor, filled in, which shows how often the rule would have fired. Nothing for those who may not add rules. */
export function AddRuleLink({ search, of }: Props) {
  const { can } = useViewer()
  if (!can('monitors:update')) return null
  return (
    <Link to="/alerts/rules/add" search={search} aria-label={`${text}: ${of}`} className={buttonClass('plain', true)}>
      <Plus size={15} aria-hidden="true" />
      {text}
    </Link>
  )
}
