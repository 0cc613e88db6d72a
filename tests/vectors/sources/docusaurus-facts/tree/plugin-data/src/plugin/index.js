module.exports = () => ({name: 'p', async contentLoaded({actions}) { actions.setGlobalData({}); }});
