module.exports = () => ({name: 'p', async contentLoaded({actions}) { actions.addRoute({path: '/made/x', component: '@site/src/X.js', exact: true}); }});
