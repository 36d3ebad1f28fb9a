import { useNavigate } from '@tanstack/react-router'
import { ChevronsUpDown } from 'lucide-react'
import { useState } from 'react'
import { Menu, MenuChoice, MenuItem, MenuLine } from '../components/menu.tsx'
import { useViewer } from '../lib/api.ts'
import { text } from '../messages/index.ts'
import { NewOrganization } from './new-organization.tsx'

/** Which organization is looked at. Another one begins at its overview: what was open belongs to the one before. */
export function OrganizationSwitch() {
  const { me, organization, chooseOrganization } = useViewer()
  const navigate = useNavigate()
  const [isMaking, setMaking] = useState(false)
  const choose = (id: string) => {
    chooseOrganization(id)
    void navigate({ to: '/' })
  }
  return (
    <>
      <Menu
        align="start"
        trigger={
          <button
            type="button"
            className="flex max-w-full items-center gap-2 rounded-lg border border-line px-2.5 py-1.5 text-left hover:bg-hover lg:w-full lg:justify-between"
          >
            <span className="sr-only">{text.nav.organization}:</span>
            <span className="truncate font-semibold">{organization?.name}</span>
            <ChevronsUpDown size={14} aria-hidden="true" className="shrink-0 text-muted" />
          </button>
        }
      >
        <MenuChoice
          label={text.nav.organization}
          value={organization?.id ?? ''}
          options={me.organizations.map(({ id, name }) => ({ value: id, label: name }))}
          onChoose={choose}
        />
        <MenuLine />
        <MenuItem onSelect={() => setMaking(true)}>{text.nav.newOrganization}</MenuItem>
      </Menu>
      <NewOrganization isOpen={isMaking} onClose={() => setMaking(false)} onMade={choose} />
    </>
  )
}
