import { useNavigate } from '@tanstack/react-router'
import { ChevronsUpDown } from '../components/icons.tsx'
import { useState } from 'react'
import { Menu, MenuChoice, MenuItem, MenuLine } from '../components/menu.tsx'
import { useViewer } from '../lib/api.ts'
import { messages } from '../messages/index.ts'
import { CreateOrganization } from './create-organization.tsx'

/** Chooses the organization on display. Another one opens at its overview: the current page belongs to this one. */
export function OrganizationSwitch() {
  const { me, organization, chooseOrganization } = useViewer()
  const navigate = useNavigate()
  const [isCreating, setCreating] = useState(false)
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
            <span className="sr-only">{messages.nav.organization}:</span>
            <span className="truncate font-semibold">{organization?.name}</span>
            <ChevronsUpDown size={14} aria-hidden="true" className="shrink-0 text-muted" />
          </button>
        }
      >
        <MenuChoice
          label={messages.nav.organization}
          value={organization?.id ?? ''}
          options={me.organizations.map(({ id, name }) => ({ value: id, label: name }))}
          onChoose={choose}
        />
        <MenuLine />
        <MenuItem onSelect={() => setCreating(true)}>{messages.nav.newOrganization}</MenuItem>
      </Menu>
      {isCreating && <CreateOrganization onClose={() => setCreating(false)} onCreated={choose} />}
    </>
  )
}
