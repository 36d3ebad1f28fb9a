import { GitCompareArrows } from '../../components/icons.tsx'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Menu, MenuItem } from '../../components/menu.tsx'
import { SingleTarget, TargetName } from '../../components/target-fields.tsx'
import { messages } from '../../messages/index.ts'

const text = messages.servers.compare

interface Props {
  serverId: string
  compare: string | undefined
  onChange: (compare: string | undefined) => void
}

/** Chooses what the charts are compared with: the week before, or another server. */
export function Compare({ serverId, compare, onChange }: Props) {
  const [isChoosing, setChoosing] = useState(false)
  const choose = (id: string | undefined) => {
    setChoosing(false)
    if (id !== serverId) onChange(id)
  }
  return (
    <>
      <Menu
        trigger={
          <Button small>
            <GitCompareArrows size={14} aria-hidden="true" />
            {compare === undefined && text.label}
            {compare === 'week' && text.week}
            {compare !== undefined && compare !== 'week' && <TargetName type="server" id={compare} />}
          </Button>
        }
      >
        <MenuItem onSelect={() => onChange('week')}>{text.week}</MenuItem>
        <MenuItem onSelect={() => setChoosing(true)}>{text.other}</MenuItem>
        <MenuItem onSelect={() => onChange(undefined)} disabled={compare === undefined}>
          {text.none}
        </MenuItem>
      </Menu>
      <Dialog isOpen={isChoosing} onClose={() => setChoosing(false)} title={text.other}>
        <SingleTarget type="server" id={undefined} onChoose={choose} />
      </Dialog>
    </>
  )
}
