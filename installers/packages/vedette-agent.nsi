Unicode true
SetCompressor /SOLID lzma
SetDateSave off
RequestExecutionLevel admin
Name "Vedette agent @VERSION@"
OutFile "@OUT@"
InstallDir "$PROGRAMFILES64\Vedette"
ShowInstDetails show
VIProductVersion "@VERSION@.0"
VIAddVersionKey ProductName "Vedette agent"
VIAddVersionKey ProductVersion "@VERSION@"
VIAddVersionKey FileVersion "@VERSION@"
VIAddVersionKey FileDescription "Setup of the Vedette agent"
VIAddVersionKey LegalCopyright "Apache-2.0"

!include x64.nsh
!define UNINSTALL "Software\Microsoft\Windows\CurrentVersion\Uninstall\Vedette agent"

Page instfiles
UninstPage uninstConfirm
UninstPage instfiles

; Runs a 64-bit program of Windows, never one from the folder of the setup program.
!macro Run COMMAND
  ${DisableX64FSRedirection}
  nsExec::ExecToLog '"$SYSDIR\${COMMAND}'
  ${EnableX64FSRedirection}
!macroend

Section
  SetShellVarContext all
  SetRegView 64
  ; One agent on a host: of two ways to install, the later one is refused before it changes anything.
  IfFileExists "$PROGRAMFILES64\Vedette Agent\bin\vedette-agent.exe" 0 +2
    Abort "install.ps1 installed an agent on this host. Remove it with install.ps1 -Uninstall first; config, state and registration stay."
  IfFileExists "$INSTDIR\vedette-agent.exe" 0 +3
  IfFileExists "$INSTDIR\uninstall.exe" +2 0
    Abort "The .msi installed an agent on this host. Remove it in Settings first; config, state and registration stay."
  ; A folder that another account made first would keep its owner and its config.
  ${DisableX64FSRedirection}
  nsExec::ExecToLog `"$SYSDIR\WindowsPowerShell\v1.0\powershell.exe" -NoProfile -NonInteractive -Command "exit (0 + ((Test-Path -LiteralPath $$env:ProgramData\Vedette) -and ((Get-Acl -LiteralPath $$env:ProgramData\Vedette).Sddl -notmatch '^O:(BA|SY)' -or (Get-Item -Force -LiteralPath $$env:ProgramData\Vedette).Attributes -match 'ReparsePoint')))"`
  ${EnableX64FSRedirection}
  Pop $0
  StrCmp $0 0 +2
    Abort "$APPDATA\Vedette belongs to another account or is a link: delete it first."
  !insertmacro Run 'schtasks.exe" /End /TN "Vedette agent"'
  Pop $0
  SetOutPath "$INSTDIR"
  ClearErrors
  File "@TREE@/bin/vedette-agent.exe"
  File "@TREE@/share/vedette-agent/LICENSES.txt"
  File "@TREE@/share/vedette-agent/units/vedette-agent.task.xml"
  IfErrors 0 +2
    Abort "A file cannot be replaced: is the agent still running?"
  ; Config and state belong to the user: an upgrade keeps them.
  SetOutPath "$APPDATA\Vedette"
  SetOverwrite off
  File "@TREE@/share/vedette-agent/agent.yaml"
  SetOverwrite on
  !insertmacro Run 'icacls.exe" "$APPDATA\Vedette" /inheritance:r /grant:r *S-1-5-19:(OI)(CI)M *S-1-5-18:(OI)(CI)F *S-1-5-32-544:(OI)(CI)F'
  Pop $0
  StrCmp $0 0 +2
    Abort "The permissions of the config cannot be set ($0)."
  !insertmacro Run 'schtasks.exe" /Create /F /TN "Vedette agent" /XML "$INSTDIR\vedette-agent.task.xml"'
  Pop $0
  StrCmp $0 0 +2
    Abort "The task cannot be created ($0)."
  WriteUninstaller "$INSTDIR\uninstall.exe"
  WriteRegStr HKLM "${UNINSTALL}" "DisplayName" "Vedette agent"
  WriteRegStr HKLM "${UNINSTALL}" "DisplayVersion" "@VERSION@"
  WriteRegStr HKLM "${UNINSTALL}" "Publisher" "Vedette"
  WriteRegStr HKLM "${UNINSTALL}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegStr HKLM "${UNINSTALL}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
SectionEnd

Section Uninstall
  SetShellVarContext all
  SetRegView 64
  !insertmacro Run 'schtasks.exe" /End /TN "Vedette agent"'
  Pop $0
  !insertmacro Run 'schtasks.exe" /Delete /F /TN "Vedette agent"'
  Pop $0
  Delete "$INSTDIR\vedette-agent.exe"
  Delete "$INSTDIR\LICENSES.txt"
  Delete "$INSTDIR\vedette-agent.task.xml"
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"
  DeleteRegKey HKLM "${UNINSTALL}"
SectionEnd
