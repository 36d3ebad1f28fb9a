import { ChangeList } from '../features/changes/list.tsx'
import { SettingsFrame } from './settings-frame.tsx'

export function ChangesPage() {
  return (
    <SettingsFrame section="changes">
      <ChangeList />
    </SettingsFrame>
  )
}
