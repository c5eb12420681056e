"""Words of Qt's own dialogs and context menus, in the language of the program."""

from PySide6.QtCore import QLibraryInfo, QLocale, QTranslator
from PySide6.QtWidgets import QApplication

from ffn_explorer.state.app_state import Language

_LOCALES: dict[Language, QLocale] = {
    "en": QLocale(QLocale.Language.English, QLocale.Country.UnitedStates),
    "ja": QLocale(QLocale.Language.Japanese, QLocale.Country.Japan),
}


class QtWords:
    """Installs the translation that PySide6 ships; where it ships none, Qt keeps speaking English."""

    def __init__(self) -> None:
        """Install nothing yet."""
        self._translator: QTranslator | None = None

    def use(self, language: Language, application: QApplication) -> None:
        """Translate from now on into this language."""
        if self._translator is not None:
            application.removeTranslator(self._translator)
        self._translator = QTranslator(application)
        folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
        if self._translator.load(_LOCALES[language], "qtbase", "_", folder):
            application.installTranslator(self._translator)
